// The sampler and the sources that read this machine.
#include "slurm-hooks/sampler/sampler.h"

#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "common/clock.h"
#include "slurm-hooks/sampler/cgroup_source.h"
#include "slurm-hooks/sampler/kernel_log_source.h"
#include "slurm-hooks/sampler/node_source.h"
#include "slurm-hooks/sampler/process_source.h"
#include "tests/support/fake_clock.h"
#include "tests/support/signals.h"
#include "tests/support/temp_dir.h"
#include "tests/support/wait_for.h"

namespace carme::sampler {
namespace {

using testing::WaitFor;

constexpr int64_t kNow = 1'800'000'000'000;

void WriteText(const std::string& path, const std::string& text) {
  std::filesystem::create_directories(
      std::filesystem::path(path).parent_path());
  std::ofstream(path) << text;
}

// "name{label=value,…}" and the last value.
std::map<std::string, double> Values(const carme::v1::NodeSamples& samples) {
  std::map<std::string, double> values;
  for (const auto& series : samples.series()) {
    std::string key = series.name();
    const Labels labels(series.labels().begin(), series.labels().end());
    for (const auto& [label, value] : labels) key += "," + label + "=" + value;
    values[key] = series.values(series.values_size() - 1);
  }
  return values;
}

std::map<std::string, double> SampleOnce(MetricSource* source,
                                         SampleBuffer* buffer,
                                         int64_t now_ms = kNow) {
  source->Sample(now_ms, buffer);
  const auto taken = buffer->Take(now_ms, {});
  return taken ? Values(*taken) : std::map<std::string, double>();
}

class CountingSource : public MetricSource {
 public:
  explicit CountingSource(std::atomic<int>* rounds) : rounds_(rounds) {}
  void Sample(int64_t now_ms, SampleBuffer* buffer) override {
    buffer->Add(buffer->AddSeries(1, "a", {}), now_ms + rounds_->load(), 1);
    ++*rounds_;
  }

 private:
  std::atomic<int>* const rounds_;
};

TEST_CASE("sampler: samples each source at its interval", "[sampler]") {
  SampleBuffer buffer("n1");
  const SystemClock clock;
  std::atomic<int> fast = 0;
  std::atomic<int> slow = 0;
  {
    std::vector<TimedSource> sources;
    sources.push_back(
        {std::make_unique<CountingSource>(&fast), absl::Milliseconds(10)});
    sources.push_back(
        {std::make_unique<CountingSource>(&slow), absl::Minutes(1)});
    const Sampler sampler(std::move(sources), &buffer, &clock);
    REQUIRE(WaitFor([&] { return fast >= 5; }));
  }
  CHECK(slow == 1);
}

TEST_CASE("sampler: reports that the clock was changed", "[sampler]") {
  SampleBuffer buffer("n1");
  FakeClock clock;
  std::atomic<int> rounds = 0;
  std::vector<TimedSource> sources;
  sources.push_back(
      {std::make_unique<CountingSource>(&rounds), absl::Milliseconds(5)});
  const Sampler sampler(std::move(sources), &buffer, &clock);
  REQUIRE(WaitFor([&] { return rounds > 0; }));
  clock.Advance(-absl::Hours(1));
  std::string text;
  CHECK(WaitFor([&] {
    const auto taken = buffer.Take(absl::ToUnixMillis(clock.Now()), {});
    if (!taken) return false;
    for (const auto& event : taken->events()) {
      if (event.kind() == "clock") text = event.text();
    }
    return !text.empty();
  }));
  CHECK(text.find("changed by -36") != std::string::npos);
}

TEST_CASE("cgroup source: reads the job and its steps in version 2",
          "[sampler]") {
  const TempDir dir;
  const std::string job = dir.File("job_7");
  WriteText(job + "/cpu.stat", "usage_usec 3000000\nuser_usec 2000000\n");
  WriteText(job + "/memory.current", "1000\n");
  WriteText(job + "/memory.max", "max\n");
  WriteText(job + "/memory.events", "max 1\noom_kill 0\n");
  WriteText(job + "/pids.current", "12\n");
  WriteText(job + "/cpuset.cpus.effective", "0-3,8\n");
  WriteText(job + "/step_0/cpuset.cpus.effective", "0\n");
  WriteText(job + "/step_0/memory.current", "600\n");
  WriteText(job + "/step_batch/memory.current", "400\n");
  WriteText(job + "/io.stat", "8:0 rbytes=5 wbytes=6 rios=1 wios=2\n");
  SampleBuffer buffer("n1");
  CgroupSource source({{"", job}}, &buffer);
  CHECK(source.counts_cpu());
  const auto values = SampleOnce(&source, &buffer);
  CHECK(values.at("carme_job_cpu_seconds_total") == 3);
  CHECK(values.at("carme_job_memory_bytes") == 1000);
  CHECK(values.at("carme_job_memory_bytes,step=0") == 600);
  CHECK(values.at("carme_job_memory_bytes,step=batch") == 400);
  CHECK(values.at("carme_job_processes") == 12);
  CHECK(values.at("carme_job_cpus") == 5);
  CHECK_FALSE(values.contains("carme_job_cpus,step=0"));
  CHECK(values.at("carme_job_io_written_bytes_total,device=8:0") == 6);
  CHECK(values.at("carme_job_oom_kills_total") == 0);
  // No limit, and no file with the peak.
  CHECK_FALSE(values.contains("carme_job_memory_limit_bytes"));
  CHECK_FALSE(values.contains("carme_job_memory_peak_bytes"));
  CHECK_FALSE(values.contains("carme_job_cpu_throttled_seconds_total"));
}

TEST_CASE("cgroup source: an OOM kill is an event", "[sampler]") {
  const TempDir dir;
  const std::string job = dir.File("job_7");
  WriteText(job + "/memory.events", "oom_kill 4\n");
  SampleBuffer buffer("n1");
  CgroupSource source({{"", job}}, &buffer);
  source.Sample(kNow, &buffer);
  CHECK(buffer.Take(kNow, {})->events().empty());
  WriteText(job + "/memory.events", "oom_kill 6\n");
  source.Sample(kNow + 5000, &buffer);
  const auto taken = buffer.Take(kNow + 5000, {});
  REQUIRE(taken->events_size() == 1);
  CHECK(taken->events(0).kind() == "oom");
  CHECK(taken->events(0).text().find("2 processes") == 0);
}

TEST_CASE("cgroup source: counts the kills of tasks in version 1",
          "[sampler]") {
  const TempDir dir;
  const std::string job = dir.File("job_7");
  const std::string step = job + "/step_0";
  WriteText(job + "/memory.oom_control", "under_oom 0\noom_kill 0\n");
  WriteText(step + "/memory.oom_control", "under_oom 0\noom_kill 0\n");
  WriteText(step + "/task_0/memory.oom_control", "oom_kill 0\n");
  WriteText(step + "/task_1/memory.oom_control", "oom_kill 2\n");
  SampleBuffer buffer("n1");
  CgroupSource source({{"memory", job}}, &buffer);
  const auto values = SampleOnce(&source, &buffer);
  CHECK(values.at("carme_job_oom_kills_total,step=0") == 2);
  // The group of the job does not count them: no value, not zero.
  CHECK_FALSE(values.contains("carme_job_oom_kills_total"));
  WriteText(step + "/task_0/memory.oom_control", "oom_kill 1\n");
  source.Sample(kNow + 5000, &buffer);
  const auto taken = buffer.Take(kNow + 5000, {});
  REQUIRE(taken->events_size() == 1);
  CHECK(taken->events(0).labels().at("step") == "0");
}

TEST_CASE("cgroup source: follows steps that begin and end", "[sampler]") {
  const TempDir dir;
  const std::string job = dir.File("memory/job_7");
  WriteText(job + "/memory.usage_in_bytes", "1\n");
  SampleBuffer buffer("n1");
  CgroupSource source({{"memory", job}}, &buffer);
  CHECK_FALSE(source.counts_cpu());
  CHECK(SampleOnce(&source, &buffer).size() == 1);
  WriteText(job + "/step_3/memory.usage_in_bytes", "2\n");
  CHECK(SampleOnce(&source, &buffer, kNow + 1)
            .contains("carme_job_memory_bytes,step=3"));
  std::filesystem::remove_all(job + "/step_3");
  CHECK(SampleOnce(&source, &buffer, kNow + 2).size() == 1);
}

// A process with this environment that uses a CPU until it is destroyed.
class BusyProcess {
 public:
  BusyProcess(const std::string& job, const std::string& rank,
              const std::string& step = "0") {
    pid_ = fork();
    if (pid_ == 0) {
      const std::string variables[] = {"SLURM_JOB_ID=" + job,
                                       "SLURM_PROCID=" + rank,
                                       "SLURM_STEP_ID=" + step};
      const char* const environment[] = {variables[0].c_str(),
                                         variables[1].c_str(),
                                         variables[2].c_str(), nullptr};
      const char* const arguments[] = {"sh", "-c", "while :; do :; done",
                                       nullptr};
      execve("/bin/sh", const_cast<char**>(arguments),
             const_cast<char**>(environment));
      _exit(127);
    }
  }
  ~BusyProcess() {
    testing::Signal(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
};

TEST_CASE("process source: never mixes two jobs on one node", "[sampler]") {
  const BusyProcess own0("810001", "0");
  const BusyProcess own1("810001", "1");
  const BusyProcess other("810002", "0");
  SampleBuffer buffer("n1");
  ProcessSource source(
      {.cgroup = "", .slurm_job = "810001", .counts_job_cpu = true}, &buffer);
  int64_t now = kNow;
  std::map<std::string, double> values;
  REQUIRE(WaitFor([&] {
    values = SampleOnce(&source, &buffer, ++now);
    return values.contains("carme_rank_processes,rank=1,step=0") &&
           values["carme_rank_cpu_seconds_total,rank=0,step=0"] > 0.05 &&
           values["carme_rank_cpu_seconds_total,rank=1,step=0"] > 0.05;
  }));
  CHECK(values.at("carme_rank_processes,rank=0,step=0") == 1);
  CHECK(values.at("carme_rank_memory_bytes,rank=0,step=0") > 100'000);
  CHECK(values.at("carme_job_cpu_seconds_total") ==
        Approx(values.at("carme_rank_cpu_seconds_total,rank=0,step=0") +
               values.at("carme_rank_cpu_seconds_total,rank=1,step=0")));
  for (const auto& [key, value] : values) {
    INFO(key);
    CHECK((!key.starts_with("carme_rank_processes") || value == 1));
  }
}

TEST_CASE("process source: only tasks of the user's steps have a rank",
          "[sampler]") {
  // Slurm sets SLURM_PROCID in all of them.
  const BusyProcess batch("810004", "0", "");
  const BusyProcess extern_step("810004", "0", "4294967292");
  const BusyProcess agent("810004", "1", "0");
  const BusyProcess task("810004", "3", "1");
  const TempDir dir;
  const std::string job = dir.File("job_9");
  const auto add = [&](const std::string& step, const BusyProcess& process) {
    WriteText(job + "/step_" + step + "/task_0/cgroup.procs",
              std::to_string(process.pid()) + "\n");
  };
  WriteText(job + "/cgroup.procs", "");
  add("batch", batch);
  add("extern", extern_step);
  add("0", agent);
  add("1", task);
  const bool has_cgroup = GENERATE(true, false);
  CAPTURE(has_cgroup);
  SampleBuffer buffer("n2");
  ProcessSource source({.cgroup = has_cgroup ? job : "",
                        .slurm_job = "810004",
                        .agent_step = "0",
                        .counts_job_cpu = true},
                       &buffer);
  const std::set<std::string> expected =
      has_cgroup ? std::set<std::string>{",rank=3,step=1", ",step=0",
                                         ",step=batch", ",step=extern"}
                 : std::set<std::string>{",rank=3,step=1", ",step=0", ""};
  int64_t now = kNow;
  std::set<std::string> groups;
  const auto find_groups = [&] {
    groups.clear();
    for (const auto& [key, value] : SampleOnce(&source, &buffer, ++now)) {
      constexpr std::string_view kName = "carme_rank_processes";
      if (key.starts_with(kName)) groups.insert(key.substr(kName.size()));
    }
    return groups == expected;
  };
  CHECK(WaitFor(find_groups));
  CHECK(groups == expected);
  // Also when their environments have been read again.
  for (int i = 0; i < 8; ++i) CHECK(find_groups());
}

TEST_CASE("process source: reads the members of a control group", "[sampler]") {
  const BusyProcess member("810003", "5");
  const TempDir dir;
  WriteText(dir.File("job_9/cgroup.procs"), "");
  WriteText(dir.File("job_9/step_2/task_0/cgroup.procs"),
            std::to_string(member.pid()) + "\n999999999\n");
  SampleBuffer buffer("n1");
  const auto ranks = std::make_shared<ProcessRanks>();
  ProcessSource source({.cgroup = dir.File("job_9"),
                        .slurm_job = "9",
                        .counts_job_cpu = false,
                        .ranks = ranks},
                       &buffer);
  int64_t now = kNow;
  REQUIRE(WaitFor([&] {
    return SampleOnce(&source, &buffer, ++now)
        .contains("carme_rank_cpu_seconds_total,rank=5,step=2");
  }));
  REQUIRE(ranks->Find(member.pid()) != nullptr);
  CHECK(ranks->Find(member.pid())->step == "2");
  CHECK(ranks->Find(member.pid())->rank == "5");
  CHECK(ranks->Find(999999999) == nullptr);
}

TEST_CASE("node source: reads a node with RDMA, Lustre and BeeGFS",
          "[sampler]") {
  const TempDir dir;
  WriteText(dir.File("sys/class/infiniband/mlx5_0/ports/1/counters/"
                     "port_rcv_data"),
            "1000\n");
  WriteText(dir.File("sys/class/infiniband/mlx5_0/ports/1/counters/"
                     "link_downed"),
            "N/A (no PMA)\n");
  WriteText(dir.File("proc/fs/lustre/llite/scratch-ffff8800/stats"),
            "read_bytes 1 samples [bytes] 7 7 7\n");
  WriteText(dir.File("proc/fs/beegfs/A-B/storage_nodes"),
            "s [ID: 1]\n   Connections: TCP: 3 (10.0.0.1:8003); \n");
  WriteText(dir.File("proc/pressure/io"), "some avg10=0 total=2000000\n");
  SampleBuffer buffer("n1");
  NodeSource source(dir.path() + "/", &buffer);
  const auto values = SampleOnce(&source, &buffer);
  CHECK(
      values.at("carme_node_rdma_received_bytes_total,device=mlx5_0,port=1") ==
      4000);
  CHECK(values.at("carme_node_filesystem_read_bytes_total,mount=scratch,"
                  "type=lustre") == 7);
  CHECK(values.at("carme_node_filesystem_connections,mount=A-B,"
                  "servers=storage,type=beegfs") == 3);
  CHECK(values.at("carme_node_pressure_some_seconds_total,resource=io") == 2);
  CHECK(values.size() == 5);  // with the data operations of Lustre
}

TEST_CASE("kernel log: cannot be opened where it is not readable",
          "[sampler]") {
  CHECK(KernelLogSource::Open("/nonexistent/kmsg", "7") == nullptr);
}

}  // namespace
}  // namespace carme::sampler
