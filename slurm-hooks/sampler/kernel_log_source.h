// Events of the job in the kernel's log: OOM kills in its control group, Xids
// of its own GPUs; and memory errors and link changes of the node. Absent where
// this user may not read /dev/kmsg.
#ifndef CARME_SLURM_HOOKS_SAMPLER_KERNEL_LOG_SOURCE_H_
#define CARME_SLURM_HOOKS_SAMPLER_KERNEL_LOG_SOURCE_H_

#include <memory>
#include <set>
#include <string>

#include "common/unique_fd.h"
#include "slurm-hooks/sampler/kernel_text/node_text.h"
#include "slurm-hooks/sampler/metric_source.h"

namespace carme::sampler {

class KernelLogSource : public MetricSource {
 public:
  // Starts at the end of the log. nullptr: it cannot be read. `slurm_job` is
  // Slurm's id.
  static std::unique_ptr<KernelLogSource> Open(const std::string& path,
                                               std::string slurm_job);

  void Sample(int64_t now_ms, SampleBuffer* buffer) override;

 private:
  KernelLogSource(UniqueFd log, std::string slurm_job);
  bool Concerns(const KernelEvent& event) const;

  const UniqueFd log_;
  const std::string slurm_job_;
  // PCI addresses of the GPUs that this job may open.
  std::set<std::string> own_gpus_;
};

}  // namespace carme::sampler

#endif  // CARME_SLURM_HOOKS_SAMPLER_KERNEL_LOG_SOURCE_H_
