#include "slurm-hooks/sampler/program_metrics.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <string>

#include "common/unique_fd.h"
#include "slurm-hooks/sampler/metrics_socket.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"
#include "tests/support/wait_for.h"

namespace carme::sampler {
namespace {

constexpr int64_t kNow = 1'800'000'000'000;

// The last value of a series; nullopt: there is none.
std::optional<double> ValueIn(const carme::v1::NodeSamples& samples,
                              const std::string& name,
                              const std::string& label = "",
                              const std::string& value = "") {
  std::optional<double> found;
  for (const auto& series : samples.series()) {
    if (series.name() != name || series.values().empty()) continue;
    if (!label.empty()) {
      const auto at = series.labels().find(label);
      if (at == series.labels().end() || at->second != value) continue;
    }
    found = series.values(series.values_size() - 1);
  }
  return found;
}

carme::v1::NodeSamples SampleOnce(ProgramMetrics* metrics, SampleBuffer* buffer,
                                  int64_t now_ms = kNow) {
  metrics->Sample(now_ms, buffer);
  return buffer->Take(now_ms, {}).value_or(carme::v1::NodeSamples());
}

TEST_CASE("metric line: rejects what is not a gauge or a counter",
          "[sampler]") {
  for (const char* line :
       {"",
        "loss",
        "loss:",
        "loss:1",
        "loss:1|",
        "loss:1|ms",
        "loss:1|s",
        "loss:x|g",
        "loss:nan|c",
        "loss:inf|c",
        "loss:nano|g",
        ":1|g",
        "1st:1|g",
        "_a:1|g",
        "loss:-1|c",
        "loss:1|c|@0",
        "loss:1|c|@2",
        "loss:1|g|what",
        "loss:1|g|#",
        "loss:1|g|#:v",
        "\xff:1|g",
        "a1234567890123456789012345678901234567890123456789012345678901234:1|"
        "g"}) {
    INFO(line);
    const auto value = ParseMetricLine(line);
    // An empty list of tags is accepted by StatsD clients.
    CHECK(value.has_value() == (std::string(line) == "loss:1|g|#"));
  }
}

TEST_CASE("metric line: reads names, values, rates and tags", "[sampler]") {
  const auto gauge = ParseMetricLine("train.Loss:-0.25|g|#worker:3,phase:a b");
  REQUIRE(gauge.has_value());
  CHECK(gauge->name == "train_loss");
  CHECK_FALSE(gauge->is_counter);
  CHECK(gauge->value == -0.25);
  CHECK(gauge->labels == Labels{{"worker", "3"}, {"phase", "a b"}});
  const auto counter = ParseMetricLine("tokens:512|c|@0.5\r");
  REQUIRE(counter.has_value());
  CHECK(counter->is_counter);
  CHECK(counter->value == 1024);
}

TEST_CASE("program output: finds known values only", "[sampler]") {
  using Values = std::vector<std::pair<std::string, double>>;
  CHECK(ParseOutputLine("hello=3 lossless=2 step=x loss=nano").empty());
  CHECK(ParseOutputLine("footstep=1 my_loss2=3").empty());
  CHECK(ParseOutputLine("step=10 loss=0.5 tokens/s=1200.5") ==
        Values{{"step", 10}, {"loss", 0.5}, {"tokens_per_second", 1200.5}});
  CHECK(ParseOutputLine("Epoch: 3, train_loss = 1e-3 | lr:0.1") ==
        Values{{"epoch", 3}, {"loss", 0.001}, {"learning_rate", 0.1}});
  CHECK(ParseOutputLine("{'loss': 2.5, 'grad_norm': 1.5}") ==
        Values{{"loss", 2.5}, {"gradient_norm", 1.5}});
}

TEST_CASE("program metrics: a value that is not a number is an event, once",
          "[sampler]") {
  SampleBuffer buffer("n1");
  ProgramMetrics metrics(&buffer);
  metrics.AddOutput("step=3 loss=nan\n{'grad_norm': -Infinity}\n", 1);
  metrics.AddPacket("loss:NaN|g\nmy.loss:inf|g", 1);
  const auto samples = SampleOnce(&metrics, &buffer);
  CHECK(ValueIn(samples, "carme_program_step") == 3.0);
  CHECK_FALSE(ValueIn(samples, "carme_program_loss").has_value());
  CHECK_FALSE(ValueIn(samples, "carme_program_rejected_lines_total"));
  std::vector<std::string> names;
  for (const auto& event : samples.events()) {
    if (event.kind() == "not_finite") {
      names.push_back(event.labels().at("value"));
    }
  }
  CHECK(names == std::vector<std::string>{"loss", "gradient_norm", "my_loss"});
  metrics.AddOutput("loss=nan\n", 1);
  CHECK(SampleOnce(&metrics, &buffer, kNow + 5000).events().empty());
}

TEST_CASE("program metrics: a gauge ends, a counter adds up", "[sampler]") {
  SampleBuffer buffer("n1");
  ProgramMetrics metrics(&buffer);
  metrics.AddPacket("loss:2|g\nloss:1|g\ntokens:5|c\ntokens:7|c\n", 1);
  const auto first = SampleOnce(&metrics, &buffer);
  CHECK(ValueIn(first, "carme_program_loss") == 1.0);
  CHECK(ValueIn(first, "carme_program_tokens_total") == 12.0);
  CHECK_FALSE(ValueIn(first, "carme_program_rejected_lines_total").has_value());
  const auto second = SampleOnce(&metrics, &buffer, kNow + 5000);
  CHECK_FALSE(ValueIn(second, "carme_program_loss").has_value());
  CHECK(ValueIn(second, "carme_program_tokens_total") == 12.0);
}

TEST_CASE("program metrics: output in pieces becomes values and the first step",
          "[sampler]") {
  SampleBuffer buffer("n1");
  ProgramMetrics metrics(&buffer);
  metrics.AddOutput("step=1 lo", 1);
  metrics.AddOutput("ss=0.5\r\n" + std::string(5000, 'x') + " step=9\nstep=2 ",
                    1);
  const auto samples = SampleOnce(&metrics, &buffer);
  CHECK(ValueIn(samples, "carme_program_step") == 1.0);
  CHECK(ValueIn(samples, "carme_program_loss") == 0.5);
  REQUIRE(samples.events_size() == 1);
  CHECK(samples.events(0).kind() == "first_step");
  metrics.AddOutput("\n", 1);
  const auto next = SampleOnce(&metrics, &buffer, kNow + 5000);
  CHECK(ValueIn(next, "carme_program_step") == 2.0);
  CHECK(next.events().empty());
}

TEST_CASE("program metrics: counts and reports what exceeds its limits",
          "[sampler]") {
  SampleBuffer buffer("n1");
  ProgramMetrics metrics(&buffer, {.line_interval = absl::Seconds(1),
                                   .line_burst = 100,
                                   .max_names = 10,
                                   .max_line_bytes = 100});
  for (int i = 0; i < 20; ++i) {
    metrics.AddPacket("m" + std::to_string(i) + ":1|g", 1);
  }
  metrics.AddPacket("broken\n" + std::string(200, 'a') + ":1|g", 1);
  for (int i = 0; i < 200; ++i) metrics.AddPacket("m0:2|g", 1);
  const auto samples = SampleOnce(&metrics, &buffer);
  const std::string name = "carme_program_rejected_lines_total";
  CHECK(ValueIn(samples, name, "reason", "names") == 10.0);
  CHECK(ValueIn(samples, name, "reason", "invalid") == 2.0);
  CHECK(ValueIn(samples, name, "reason", "rate") == 122.0);
  CHECK(ValueIn(samples, "carme_program_m0") == 2.0);
  REQUIRE(samples.events_size() == 1);
  CHECK(samples.events(0).kind() == "program_metrics_rejected");
  CHECK(samples.events(0).text().find("134 values") == 0);
  // Once a minute.
  metrics.AddPacket("broken", 1);
  CHECK(SampleOnce(&metrics, &buffer, kNow + 1000).events().empty());
  CHECK(SampleOnce(&metrics, &buffer, kNow + 61'000).events_size() == 1);
}

TEST_CASE("metrics socket: takes a flood without making the sender wait",
          "[sampler]") {
  const TempDir dir;
  SampleBuffer buffer("n1");
  ProgramMetrics metrics(&buffer);
  const std::string path = MetricsSocketPath(dir.path());
  const auto socket = MetricsSocket::Open(path, &metrics);
  REQUIRE_THAT(socket, IsOk());
  const UniqueFd sender(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  REQUIRE(connect(sender.get(), reinterpret_cast<const sockaddr*>(&address),
                  sizeof address) == 0);
  constexpr int kLines = 50'000;
  const std::string line = "tokens:1|c";
  for (int i = 0; i < kLines; ++i) {
    REQUIRE(send(sender.get(), line.data(), line.size(), 0) ==
            static_cast<ssize_t>(line.size()));
  }
  // Too long for one packet.
  const std::string long_packet(9000, 'x');
  REQUIRE(send(sender.get(), long_packet.data(), long_packet.size(), 0) ==
          9000);
  double counted = 0;
  double rejected = 0;
  int64_t now = kNow;
  CHECK(testing::WaitFor([&] {
    const auto samples = SampleOnce(&metrics, &buffer, now += 1000);
    counted = ValueIn(samples, "carme_program_tokens_total").value_or(counted);
    rejected = ValueIn(samples, "carme_program_rejected_lines_total")
                   .value_or(rejected);
    return counted + rejected == kLines + 1;
  }));
  CHECK(rejected > 0);
  CHECK(counted >= 4000);
}

}  // namespace
}  // namespace carme::sampler
