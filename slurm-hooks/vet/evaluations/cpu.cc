#include <sched.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <optional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "common/printable.h"
#include "slurm-hooks/vet/evaluations/evaluations.h"
#include "slurm-hooks/vet/evaluations/messages.h"

namespace carme::vet {
namespace {

// A clock that was idle needs this long to rise.
constexpr absl::Duration kWarmUp = absl::Milliseconds(100);
constexpr double kKhz = 1e-3;  // in MHz
constexpr size_t kMaxModel = 80;

// The values of a key of /proc/cpuinfo, one for each CPU.
Texts CpuInfo(const std::string& root, std::string_view key) {
  Texts values;
  std::ifstream file(root + "/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    const auto name =
        absl::StripAsciiWhitespace(absl::string_view(line).substr(0, colon));
    if (name != absl::string_view(key.data(), key.size())) continue;
    values.emplace_back(
        absl::StripAsciiWhitespace(absl::string_view(line).substr(colon + 1)));
  }
  return values;
}

void WarmUp() {
  volatile double sink = 1;
  const absl::Time end = absl::Now() + kWarmUp;
  while (absl::Now() < end) {
    for (int i = 0; i < 10000; ++i) sink = std::sqrt(sink + i);
  }
}

// Of the CPU on which this runs, in MHz.
std::optional<double> ClockUnderLoad(const std::string& root) {
  WarmUp();
  const int cpu = sched_getcpu();
  std::ifstream file(absl::StrCat(root, "/sys/devices/system/cpu/cpu",
                                  cpu < 0 ? 0 : cpu,
                                  "/cpufreq/scaling_cur_freq"));
  if (double khz = 0; file >> khz) return khz * kKhz;
  const Texts clocks = CpuInfo(root, "cpu MHz");
  const size_t index = cpu < 0 ? 0 : static_cast<size_t>(cpu);
  double mhz = 0;
  if (index < clocks.size() && absl::SimpleAtod(clocks[index], &mhz)) {
    return mhz;
  }
  return std::nullopt;
}

Outcome Wrong(const MessageTemplate& message, const char* subject, double found,
              double expected) {
  return Outcome::Failed(FormatMessage(
      message,
      {{"subject", subject}, {"found", found}, {"expected", expected}}));
}

}  // namespace

Outcome EvaluateCpu(const Evaluation& evaluation, const std::string& root) {
  const auto count = static_cast<double>(CpuInfo(root, "processor").size());
  if (count == 0) {
    return Outcome::Error(FormatMessage(evaluation_messages::kUnreadable,
                                        {{"path", "/proc/cpuinfo"}}));
  }
  Outcome outcome;
  const auto expected = evaluation.parameters.Number("count");
  const auto min_count = evaluation.parameters.Number("min_count");
  if (expected.has_value() && count != *expected) {
    outcome = Wrong(evaluation_messages::kNotEqual, "the number of CPUs", count,
                    *expected);
  } else if (min_count.has_value() && count < *min_count) {
    outcome = Wrong(evaluation_messages::kTooLittle, "the number of CPUs",
                    count, *min_count);
  }
  outcome.metrics["cpus"] = count;
  const auto min_clock = evaluation.parameters.Number("min_clock_mhz");
  if (!min_clock.has_value()) return outcome;
  const auto clock = ClockUnderLoad(root);
  if (!clock.has_value()) {
    return Outcome::Error(FormatMessage(evaluation_messages::kNoClock));
  }
  if (outcome.kind == Outcome::Kind::kPassed && *clock < *min_clock) {
    const double cpus = count;
    outcome = Wrong(evaluation_messages::kTooLittle,
                    "the clock of a CPU under load in MHz", *clock, *min_clock);
    outcome.metrics["cpus"] = cpus;
  }
  outcome.metrics["clock_mhz"] = *clock;
  return outcome;
}

std::string NodeType() {
  const Texts models = CpuInfo("", "model name");
  struct sysinfo info {};
  sysinfo(&info);
  const double gib = static_cast<double>(info.totalram) *
                     static_cast<double>(info.mem_unit) / (1 << 30);
  return absl::StrCat(
      models.empty() ? "unknown CPU" : Readable(models[0], kMaxModel), ", ",
      sysconf(_SC_NPROCESSORS_ONLN), " CPUs, ", std::lround(gib), " GiB");
}

}  // namespace carme::vet
