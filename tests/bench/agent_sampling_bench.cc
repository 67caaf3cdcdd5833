// agent_sampling_bench SECONDS: the processor time for sampling a job of 32
// processes each second, with the messages that are sent, but without the
// connection to carme-metrics. Runs in the control group of the job.
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "slurm-hooks/sampler/node_sampler.h"

namespace carme::sampler {
namespace {

constexpr int kProcesses = 32;

absl::Duration OwnTime() {
  rusage used = {};
  getrusage(RUSAGE_SELF, &used);
  return absl::DurationFromTimeval(used.ru_utime) +
         absl::DurationFromTimeval(used.ru_stime);
}

pid_t StartTask(int rank) {
  const pid_t pid = fork();
  if (pid != 0) return pid;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const std::string variables[] = {"SLURM_JOB_ID=1", "SLURM_STEP_ID=0",
                                   "SLURM_PROCID=" + std::to_string(rank)};
  const char* const environment[] = {variables[0].c_str(), variables[1].c_str(),
                                     variables[2].c_str(), nullptr};
  const char* const arguments[] = {"sleep", "100000", nullptr};
  execve("/bin/sleep", const_cast<char**>(arguments),
         const_cast<char**>(environment));
  _exit(127);
}

void Print(const char* metric, double value, const char* unit) {
  std::printf(
      "{\"bench\":\"agent_sampling\",\"subject\":\"carme\",\"metric\":\"%s\","
      "\"value\":%g,\"unit\":\"%s\"}\n",
      metric, value, unit);
}

int Measure(int seconds) {
  std::vector<pid_t> tasks;
  for (int rank = 0; rank < kProcesses; ++rank) {
    tasks.push_back(StartTask(rank));
    if (tasks.back() < 0) return 1;
  }
  const char* const directory = std::getenv("TMPDIR");
  const SystemClock clock;
  NodeSampler sampler({.node = "n1",
                       .slurm_job = "1",
                       .directory = directory == nullptr ? "/tmp" : directory,
                       .interval = absl::Seconds(1)},
                      {}, &clock);
  absl::SleepFor(absl::Seconds(3));
  const absl::Duration before = OwnTime();
  uint64_t samples = 0;
  size_t bytes = 0;
  int series = 0;
  for (int i = 0; i < seconds; ++i) {
    absl::SleepFor(absl::Seconds(1));
    const auto taken =
        sampler.buffer().Take(absl::ToUnixMillis(clock.Now()), BatchLimits());
    if (!taken) continue;
    samples += CountSamples(*taken);
    series = taken->series_size();
    bytes += taken->SerializeAsString().size();
  }
  const absl::Duration used = OwnTime() - before;
  for (const pid_t task : tasks) {
    kill(task, SIGKILL);
    waitpid(task, nullptr, 0);
  }
  Print("cpu_ms_per_s", absl::ToDoubleMilliseconds(used) / seconds, "ms");
  Print("series", series, "");
  Print("samples_per_s", static_cast<double>(samples) / seconds, "");
  Print("bytes_per_s", static_cast<double>(bytes) / seconds, "B");
  return samples > 0 ? 0 : 1;
}

}  // namespace
}  // namespace carme::sampler

int main(int argc, char** argv) {
  return carme::sampler::Measure(argc > 1 ? std::atoi(argv[1]) : 20);
}
