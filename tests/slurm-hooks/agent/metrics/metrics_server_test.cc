// An agent that samples its job and sends the samples.
#include <signal.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "absl/time/clock.h"
#include "tests/slurm-hooks/agent/agent_process.h"
#include "tests/slurm-hooks/agent/metrics/fake_metrics_server.h"

namespace carme::agent {
namespace {

// A batch job that reports values in both ways, then runs until it is stopped.
constexpr char kReportingJob[] =
    "exec 2>&1; echo socket=$CARME_METRICS_SOCKET;"
    "python3 -c 'import os, socket\n"
    "s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)\n"
    "s.connect(os.environ[\"CARME_METRICS_SOCKET\"])\n"
    "s.send(b\"loss:0.25|g|#phase:train\\ntokens:512|c\")';"
    "echo step=3 tokens/s=1200; exec sleep 1000";

// Of a GPU of the test double of NVML.
std::map<std::string, std::string> LabelsOfGpu(int gpu) {
  return {{"gpu", std::to_string(gpu)},
          {"model", "Test double GPU"},
          {"uuid", "GPU-fa4e000" + std::to_string(gpu) +
                       "-0000-0000-0000-000000000000"}};
}

TEST_CASE("agent metrics: a job runs without them when the plan is invalid",
          "[agent]") {
  FakeAgentBackend backend;
  backend.metrics()->add_servers("127.0.0.1:1");
  AgentProcess agent(backend);
  agent.StartAndAwaitReady();
  CHECK(agent.Says("plan for metrics is invalid"));
}

TEST_CASE("agent metrics: without a plan nothing is sampled", "[agent]") {
  FakeAgentBackend backend;
  backend.MakeBatch()->set_command("echo socket=$CARME_METRICS_SOCKET.");
  AgentProcess agent(backend);
  agent.Start();
  CHECK(agent.ExitCode() == 0);
  CHECK(agent.Says("socket=."));
}

TEST_CASE("agent metrics: sends values of the job with its certificate",
          "[agent]") {
  FakeAgentBackend backend;
  const FakeMetricsServer server(backend);
  backend.MakeBatch()->set_command(kReportingJob);
  AgentProcess agent(backend);
  agent.Start();
  const bool arrived = WaitFor([&] {
    return server.Last("carme_program_loss", {{"phase", "train"}}) == 0.25 &&
           server.Last("carme_program_tokens_total") == 512.0 &&
           server.Last("carme_program_tokens_per_second",
                       {{"origin", "output"}}) == 1200.0 &&
           server.Last("carme_job_cpu_seconds_total").has_value();
  });
  INFO(agent.Log());
  REQUIRE(arrived);
  CHECK(agent.Says("socket=" + agent.directory() + "/metrics.sock"));
  CHECK(server.Events("first_step").size() == 1);
  const auto callers = server.callers();
  CHECK(std::find(callers.begin(), callers.end(),
                  std::string("carme://job/") + kTestJob) != callers.end());
  const auto requests = server.requests();
  CHECK(requests.front().job_id() == kTestJob);
  CHECK(server.dropped() == 0);
  agent.Signal(SIGTERM);
  CHECK(agent.ExitCode() == 128 + SIGTERM);
}

TEST_CASE(
    "agent metrics: sends values of the job's GPUs only, and their driver",
    "[agent]") {
  FakeAgentBackend backend;
  const FakeMetricsServer server(backend);
  AgentProcess agent(backend);
  agent.UseGpuDriver(CARME_FAKE_NVML,
                     "0 0 devices 3\n0 1 gpu_util 80\n0 2 gpu_util 90\n", "1");
  agent.StartAndAwaitReady();
  const bool arrived = WaitFor([&] {
    return server.Last("carme_gpu_utilization_ratio", LabelsOfGpu(1)) == 0.8;
  });
  INFO(agent.Log());
  REQUIRE(arrived);
  CHECK_FALSE(server.Last("carme_gpu_utilization_ratio", LabelsOfGpu(2)));
  CHECK(server.Names().find("carme_gpu_power_watts") == std::string::npos);
  bool is_named = false;
  for (const auto& request : server.requests()) {
    for (const auto& source : request.nodes(0).sources()) {
      is_named = is_named || source.version() == "test double 1.0";
    }
  }
  CHECK(is_named);
}

TEST_CASE("agent metrics: a GPU driver that hangs costs only its own values",
          "[agent]") {
  FakeAgentBackend backend;
  const FakeMetricsServer server(backend);
  AgentProcess agent(backend);
  agent.UseGpuDriver(CARME_FAKE_NVML, "0 0 gpu_util 80\n2 0 slow_ms 60000\n",
                     "0");
  agent.StartAndAwaitReady();
  REQUIRE(WaitFor([&] { return server.Events("source_dead").size() == 1; }));
  const size_t before =
      server.Samples("carme_gpu_utilization_ratio", LabelsOfGpu(0)).size();
  const size_t others = server.Samples("carme_job_cpu_seconds_total").size();
  CHECK(before > 0);
  REQUIRE(WaitFor([&] {
    return server.Samples("carme_job_cpu_seconds_total").size() > others + 2;
  }));
  CHECK(server.Samples("carme_gpu_utilization_ratio", LabelsOfGpu(0)).size() ==
        before);
  agent.Signal(SIGTERM);
  CHECK(agent.ExitCode() == 128 + SIGTERM);
}

TEST_CASE("agent metrics: a server that is away costs the job nothing",
          "[agent]") {
  FakeAgentBackend backend;
  FakeMetricsServer server(backend);
  server.Stop();
  AgentProcess agent(backend);
  agent.StartAndAwaitReady();
  const int64_t ready_ms = absl::ToUnixMillis(absl::Now());
  REQUIRE(WaitFor([&] { return agent.Says("samples not sent"); }));
  server.Start();
  REQUIRE(WaitFor(
      [&] { return !server.Samples("carme_job_cpu_seconds_total").empty(); }));
  // Those from before the outage ended are there, too.
  CHECK(server.Samples("carme_job_cpu_seconds_total").front().time_ms <
        ready_ms + 1000);
  CHECK(server.dropped() == 0);
}

TEST_CASE(
    "agent metrics: sends again what was refused, and drops what is "
    "invalid",
    "[agent]") {
  FakeAgentBackend backend;
  FakeMetricsServer server(backend);
  server.Answer(absl::PermissionDeniedError("the job is not known yet"));
  AgentProcess agent(backend);
  agent.StartAndAwaitReady();
  REQUIRE(WaitFor([&] { return server.calls() >= 2; }));
  server.Answer(absl::OkStatus());
  REQUIRE(WaitFor([&] { return !server.requests().empty(); }));
  CHECK(server.dropped() == 0);
  server.Answer(absl::InvalidArgumentError("too many series"));
  const int calls = server.calls();
  REQUIRE(WaitFor([&] { return server.calls() > calls; }));
  server.Answer(absl::OkStatus());
  CHECK(WaitFor([&] { return server.dropped() > 0; }));
}

TEST_CASE(
    "agent metrics: sends on one stream, and on a new one after a restart",
    "[agent]") {
  FakeAgentBackend backend;
  FakeMetricsServer server(backend);
  AgentProcess agent(backend);
  agent.StartAndAwaitReady();
  REQUIRE(WaitFor([&] { return server.requests().size() >= 3; }));
  CHECK(server.streams() == 1);
  server.Stop();
  server.Start();
  const size_t before = server.requests().size();
  REQUIRE(WaitFor([&] { return server.requests().size() > before; }));
  CHECK(server.streams() == 2);
  CHECK(server.dropped() == 0);
}

TEST_CASE("agent metrics: an agent that stood still reports the gap",
          "[agent]") {
  FakeAgentBackend backend;
  const FakeMetricsServer server(backend);
  AgentProcess agent(backend);
  agent.StartAndAwaitReady();
  REQUIRE(WaitFor([&] {
    return server.Samples("carme_job_cpu_seconds_total").size() > 5;
  }));
  agent.Signal(SIGSTOP);
  const absl::Time stopped = absl::Now();
  CHECK(WaitFor([&] { return absl::Now() - stopped > absl::Seconds(3); }));
  agent.Signal(SIGCONT);
  REQUIRE(WaitFor([&] { return server.missed() > 0; }));
  // No value is made up for the time between.
  int64_t longest = 0;
  int64_t last = 0;
  for (const auto& sample : server.Samples("carme_job_cpu_seconds_total")) {
    if (last != 0) longest = std::max(longest, sample.time_ms - last);
    last = sample.time_ms;
  }
  CHECK(longest > 2500);
}

TEST_CASE("agent metrics: after a killed agent the next one leaves a gap",
          "[agent]") {
  FakeAgentBackend backend;
  const FakeMetricsServer server(backend);
  {
    AgentProcess agent(backend);
    agent.StartAndAwaitReady();
    REQUIRE(WaitFor([&] {
      return !server.Samples("carme_job_cpu_seconds_total").empty();
    }));
    agent.Signal(SIGKILL);
    CHECK(agent.ExitCode() == 128 + SIGKILL);
  }
  const int64_t killed_ms = absl::ToUnixMillis(absl::Now());
  const size_t before = server.Samples("carme_job_cpu_seconds_total").size();
  AgentProcess next(backend);
  next.Start();
  REQUIRE(WaitFor([&] {
    return server.Samples("carme_job_cpu_seconds_total").size() > before;
  }));
  CHECK(server.Samples("carme_job_cpu_seconds_total")[before].time_ms >
        killed_ms);
}

}  // namespace
}  // namespace carme::agent
