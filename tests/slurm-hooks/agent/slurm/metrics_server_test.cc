// Samples of jobs in real Slurm whose load is known.
#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/slurm-hooks/agent/agent_process.h"
#include "tests/slurm-hooks/agent/metrics/fake_metrics_server.h"
#include "tests/slurm-hooks/agent/slurm/slurm_fixture.h"

namespace carme::agent {
namespace {

using Labels = std::map<std::string, std::string>;

// A batch job of ada's that is sampled each 200 ms.
class MeasuredJob {
 public:
  MeasuredJob(const std::string& command, const std::string& options,
              std::vector<std::string> nodes = {"n1"})
      : backend_("carme-backend", "10.77.0.1", 9444),
        server_(backend_, "10.77.0.1", 9445),
        site_(backend_, std::move(nodes)) {
    backend_.MakeBatch()->set_command(command);
    id_ = site_.Submit("-C carme " + options);
  }
  ~MeasuredJob() {
    Output("scancel " + id_);
    JobEnded(id_);
  }
  const FakeMetricsServer& server() const { return server_; }
  const std::string& id() const { return id_; }
  bool AwaitEnd() const { return JobEnded(id_); }

 private:
  FakeAgentBackend backend_;
  FakeMetricsServer server_;
  const AgentSlurmFixture site_;
  std::string id_;
};

double Highest(const std::vector<FakeMetricsServer::Sample>& samples) {
  double highest = 0;
  for (const auto& sample : samples) highest = std::max(highest, sample.value);
  return highest;
}

bool Rises(const std::vector<FakeMetricsServer::Sample>& samples) {
  return std::is_sorted(samples.begin(), samples.end(),
                        [](const auto& left, const auto& right) {
                          return left.value < right.value;
                        });
}

// Uses a CPU for this many seconds of CPU time, however long it takes.
std::string Spin(int seconds) {
  return absl::StrCat("python3 -c 'import time\nwhile time.process_time() < ",
                      seconds, ": pass'");
}

TEST_CASE("metrics in Slurm: CPU time of a job, without another job's",
          "[agent]") {
  // Of the same user, on the same node, at the same time.
  const std::string other = Output(
      "runuser -u ada -- sbatch --parsable --chdir=/ -o /dev/null -w n1 -c 1 "
      "--wrap 'while :; do :; done'");
  const MeasuredJob job(Spin(4) + "; sleep 1; echo step=1; sleep 2",
                        "-w n1 -c 1");
  INFO("job " << job.id() << ", other " << other);
  const bool ended = job.AwaitEnd();
  Output("scancel " + other);
  INFO(AgentSlurmFixture::Log());
  INFO(job.server().Names());
  REQUIRE(ended);
  const auto samples = job.server().Samples("carme_job_cpu_seconds_total");
  REQUIRE(samples.size() > 10);
  CHECK(Rises(samples));
  // What the agent, carme-init and the interpreter use comes on top.
  CHECK(samples.back().value > 3.9);
  CHECK(samples.back().value < 5.5);
  // The batch script is no rank of a step.
  CHECK(Highest(job.server().Samples("carme_rank_cpu_seconds_total",
                                     {{"step", "batch"}})) > 3.5);
  CHECK(job.server().Events("first_step").size() == 1);
  CHECK(JobEnded(other));
}

TEST_CASE("metrics in Slurm: a memory ramp and the OOM kill at its end",
          "[agent]") {
  constexpr double kMiB = 1 << 20;
  const MeasuredJob job(
      "python3 -c 'import time\nheld = []\nfor i in range(40):\n"
      "  held.append(b\"x\" * (10 << 20))\n  time.sleep(0.2)'; sleep 2",
      "-w n1 -c 1 --mem=256M");
  INFO("job " << job.id());
  REQUIRE(job.AwaitEnd());
  INFO(AgentSlurmFixture::Log());
  INFO(job.server().Names());
  const auto memory =
      job.server().Samples("carme_job_memory_bytes", {{"step", "batch"}});
  REQUIRE(memory.size() > 10);
  CHECK(Highest(memory) > 230 * kMiB);
  CHECK(Highest(memory) < 257 * kMiB);
  CHECK(job.server().Last("carme_job_memory_limit_bytes",
                          {{"step", "batch"}}) == 256 * kMiB);
  // Held by one process: its resident memory follows.
  CHECK(Highest(job.server().Samples("carme_rank_memory_bytes",
                                     {{"step", "batch"}})) > 200 * kMiB);
  CHECK(job.server().Last("carme_job_oom_kills_total", {{"step", "batch"}}) ==
        1.0);
  CHECK(job.server().Events("oom").size() == 1);
}

TEST_CASE("metrics in Slurm: bytes to the disk and to the network", "[agent]") {
  constexpr double kMiB = 1 << 20;
  const MeasuredJob job(
      "srun --overlap -n 1 python3 -c 'import os, time\n"
      "time.sleep(1)\n"
      "with open(\"/var/tmp/carme-metrics-io\", \"wb\") as file:\n"
      "  for i in range(64):\n"
      "    file.write(b\"x\" * (1 << 20))\n"
      "    file.flush()\n"
      "    os.fsync(file.fileno())\n"
      "time.sleep(1)'; rm -f /var/tmp/carme-metrics-io;"
      "python3 -c 'import socket\n"
      "s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
      "for i in range(20480): s.sendto(b\"x\" * 1024, (\"10.77.0.1\", 9))';"
      "sleep 2",
      "-w n1 -c 1");
  INFO("job " << job.id());
  REQUIRE(job.AwaitEnd());
  INFO(AgentSlurmFixture::Log());
  INFO(job.server().Names());
  const double written = Highest(job.server().Samples(
      "carme_rank_io_written_bytes_total", {{"step", "0"}, {"rank", "0"}}));
  CHECK(written > 60 * kMiB);
  CHECK(written < 80 * kMiB);
  double sent = 0;
  for (const auto& request : job.server().requests()) {
    for (const auto& node : request.nodes()) {
      for (const auto& series : node.series()) {
        if (series.name() != "carme_node_network_sent_bytes_total") continue;
        const auto all = job.server().Samples(
            series.name(), {series.labels().begin(), series.labels().end()});
        sent = std::max(sent, all.back().value - all.front().value);
      }
    }
  }
  CHECK(sent > 20 * kMiB);
  CHECK(sent < 30 * kMiB);
}

TEST_CASE("metrics in Slurm: ranks of a step, and both nodes of a job",
          "[agent]") {
  const MeasuredJob job(
      "srun --overlap -n 2 -N 2 sh -c '"
      "i=0; while [ $i -lt 2000000 ]; do i=$((i+1)); "
      "done; sleep 5'",
      "-N 2 -n 2 -w n1,n2", {"n1", "n2"});
  INFO("job " << job.id());
  const FakeMetricsServer& server = job.server();
  // The node agents are step 0.
  const bool arrived = WaitFor([&] {
    return server.Last("carme_rank_cpu_seconds_total",
                       {{"step", "1"}, {"rank", "0"}}, "n1") > 0.3 &&
           server.Last("carme_rank_cpu_seconds_total",
                       {{"step", "1"}, {"rank", "1"}}, "n2") > 0.3;
  });
  INFO(AgentSlurmFixture::Log());
  INFO(job.server().Names());
  CHECK(arrived);
  // The node agents are no ranks.
  CHECK_FALSE(server.Last("carme_rank_processes",
                          {{"step", "0"}, {"rank", "0"}}, "n2"));
  CHECK(server.Last("carme_rank_processes", {{"step", "0"}}, "n2"));
  CHECK(server.dropped() == 0);
}

}  // namespace
}  // namespace carme::agent
