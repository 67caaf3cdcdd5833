// Calls another source on a thread of its own, so that a driver that hangs does
// not stop the program. After the first call that takes too long the source is
// dead: every further call fails at once, and the thread and the source are
// left to the driver.
#ifndef CARME_SLURM_HOOKS_GPU_DEADLINE_SOURCE_H_
#define CARME_SLURM_HOOKS_GPU_DEADLINE_SOURCE_H_

#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "slurm-hooks/gpu/gpu_source.h"

namespace carme::gpu {

class DeadlineSource : public GpuSource {
 public:
  // Begins to open the source on the thread, see WaitUntilOpen().
  static std::unique_ptr<DeadlineSource> Start(GpuSourceFactory open,
                                               absl::Duration sample_timeout);
  // The same, and waits. DEADLINE_EXCEEDED: the driver hangs.
  static absl::StatusOr<std::unique_ptr<DeadlineSource>> Open(
      GpuSourceFactory open, absl::Duration open_timeout,
      absl::Duration sample_timeout);
  // Blocks until the thread ends, unless the source is dead.
  ~DeadlineSource() override;

  // Waits for at most `timeout`. nullopt: not yet open. An error of the factory
  // is final. Call it until it returns OK, before other functions.
  std::optional<absl::Status> WaitUntilOpen(absl::Duration timeout);

  GpuSourceInfo Info() const override { return info_; }
  std::vector<GpuDevice> Devices() const override { return devices_; }
  // DEADLINE_EXCEEDED: the source is dead.
  absl::StatusOr<GpuSample> Sample(int index) override;
  bool is_dead() const { return is_dead_; }

 private:
  struct Shared;
  DeadlineSource(std::shared_ptr<Shared> shared, absl::Duration timeout);

  const std::shared_ptr<Shared> shared_;
  const absl::Duration timeout_;
  GpuSourceInfo info_;
  std::vector<GpuDevice> devices_;
  bool is_dead_ = true;  // until it is open
};

}  // namespace carme::gpu

#endif  // CARME_SLURM_HOOKS_GPU_DEADLINE_SOURCE_H_
