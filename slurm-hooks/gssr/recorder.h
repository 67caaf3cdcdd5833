// Samples devices and writes a record a second.
#ifndef CARME_SLURM_HOOKS_GSSR_RECORDER_H_
#define CARME_SLURM_HOOKS_GSSR_RECORDER_H_

#include <map>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "slurm-hooks/gpu/gpu_source.h"
#include "slurm-hooks/gssr/interval.h"
#include "slurm-hooks/gssr/record_files.h"

namespace carme::gssr {

inline constexpr absl::Duration kSampleInterval = absl::Milliseconds(200);
inline constexpr absl::Duration kRecordInterval = absl::Seconds(1);

// Not thread-safe.
class Recorder {
 public:
  Recorder(std::unique_ptr<gpu::GpuSource> source,
           std::vector<gpu::GpuDevice> devices, RecordFiles files);

  // Writes source.json and the header.
  absl::Status Start();
  // Samples once. A device that fails has no values in this sample; fails if
  // the driver hangs or a record cannot be written.
  absl::Status Sample();
  // Writes the record of the samples since the last.
  absl::Status WriteRecord(absl::Duration since_start);

 private:
  const std::unique_ptr<gpu::GpuSource> source_;
  const std::vector<gpu::GpuDevice> devices_;
  RecordFiles files_;
  std::map<int, Interval> intervals_;
};

}  // namespace carme::gssr

#endif  // CARME_SLURM_HOOKS_GSSR_RECORDER_H_
