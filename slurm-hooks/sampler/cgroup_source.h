// The control groups of a job and of its steps on this node: CPU, throttling,
// memory with its peak and OOM events, processes, I/O, waiting times.
//
// Series have the label `step`, except those of the whole job.
#ifndef CARME_SLURM_HOOKS_SAMPLER_CGROUP_SOURCE_H_
#define CARME_SLURM_HOOKS_SAMPLER_CGROUP_SOURCE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "slurm-hooks/sampler/kernel_text/cgroup_text.h"
#include "slurm-hooks/sampler/metric_source.h"

namespace carme::sampler {

class CgroupSource : public MetricSource {
 public:
  // `cgroups` must not be empty.
  CgroupSource(JobCgroups cgroups, SampleBuffer* buffer);
  ~CgroupSource() override;

  void Sample(int64_t now_ms, SampleBuffer* buffer) override;

  // Whether these groups count the CPU time of the job.
  bool counts_cpu() const;

 private:
  class Group;
  void FindSteps(SampleBuffer* buffer);
  JobCgroups DirectoriesOf(const std::string& step) const;

  const JobCgroups cgroups_;
  uint32_t source_ = 0;
  std::unique_ptr<Group> job_;
  std::map<std::string, std::unique_ptr<Group>> steps_;
};

}  // namespace carme::sampler

#endif  // CARME_SLURM_HOOKS_SAMPLER_CGROUP_SOURCE_H_
