#include "slurm-hooks/sampler/node_sampler.h"

#include <utility>

#include "absl/time/clock.h"
#include "common/log.h"
#include "slurm-hooks/sampler/cgroup_source.h"
#include "slurm-hooks/sampler/kernel_log_source.h"
#include "slurm-hooks/sampler/node_source.h"
#include "slurm-hooks/sampler/process_source.h"
#include "slurm-hooks/sampler/sample_file.h"

namespace carme::sampler {
namespace {

JobCgroups ReadJobCgroups() {
  const std::string cgroups(
      ReadSampleFile("/proc/self/cgroup").value_or(std::string_view()));
  const std::string mounts(
      ReadSampleFile("/proc/self/mountinfo").value_or(std::string_view()));
  return FindJobCgroups(cgroups, mounts);
}

// A hierarchy that has all processes of the job: Slurm's proctrack/cgroup uses
// the freezer in version 1.
std::string ProcessDirectory(const JobCgroups& cgroups) {
  for (const char* controller : {"", "freezer", "cpuset", "memory"}) {
    const auto found = cgroups.find(controller);
    if (found != cgroups.end()) return found->second;
  }
  return cgroups.empty() ? "" : cgroups.begin()->second;
}

std::string ValueBehind(std::string_view name,
                        const std::vector<std::string>& variables) {
  for (const std::string& entry : variables) {
    if (entry.starts_with(name)) return entry.substr(name.size());
  }
  return "";
}

}  // namespace

std::string SlurmJobOf(const std::vector<std::string>& variables) {
  return ValueBehind("SLURM_JOB_ID=", variables);
}

std::string SlurmStepOf(const std::vector<std::string>& variables) {
  return ValueBehind("SLURM_STEP_ID=", variables);
}

NodeSampler::NodeSampler(const NodeSamplerOptions& options,
                         std::vector<TimedSource> more, const Clock* clock)
    : buffer_(options.node) {
  std::vector<TimedSource> sources = MakeSources(options, std::move(more));
  auto socket =
      MetricsSocket::Open(MetricsSocketPath(options.directory), program_);
  sampler_ = std::make_unique<Sampler>(std::move(sources), &buffer_, clock);
  if (socket.ok()) {
    socket_ = *std::move(socket);
    socket_path_ = MetricsSocketPath(options.directory);
  } else {
    LogWarning("programs cannot report metrics",
               {{"error", socket.status().ToString()}});
  }
}

std::vector<TimedSource> NodeSampler::MakeSources(
    const NodeSamplerOptions& options, std::vector<TimedSource> more) {
  std::vector<TimedSource> sources = std::move(more);
  const auto ranks = std::make_shared<ProcessRanks>();
  for (const TimedSource& timed : sources) timed.source->UseRanks(ranks);
  const auto add = [&](std::unique_ptr<MetricSource> source) {
    sources.push_back({std::move(source), options.interval});
  };
  JobCgroups cgroups = ReadJobCgroups();
  ProcessSourceOptions processes = {.cgroup = ProcessDirectory(cgroups),
                                    .slurm_job = options.slurm_job,
                                    .agent_step = options.agent_step,
                                    .counts_job_cpu = true,
                                    .ranks = ranks};
  if (cgroups.empty()) {
    LogInfo("the job has no control group, sampling its processes only");
  } else {
    auto source = std::make_unique<CgroupSource>(std::move(cgroups), &buffer_);
    processes.counts_job_cpu = !source->counts_cpu();
    add(std::move(source));
  }
  add(std::make_unique<ProcessSource>(std::move(processes), &buffer_));
  add(std::make_unique<NodeSource>("/", &buffer_));
  auto log = KernelLogSource::Open("/dev/kmsg", options.slurm_job);
  if (log != nullptr) add(std::move(log));
  auto program = std::make_unique<ProgramMetrics>(&buffer_);
  program_ = program.get();
  add(std::move(program));
  return sources;
}

void NodeSampler::AddOutput(std::string_view piece) {
  program_->AddOutput(piece, absl::GetCurrentTimeNanos());
}

}  // namespace carme::sampler
