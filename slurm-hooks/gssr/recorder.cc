#include "slurm-hooks/gssr/recorder.h"

#include <utility>

#include "common/status.h"

namespace carme::gssr {

Recorder::Recorder(std::unique_ptr<gpu::GpuSource> source,
                   std::vector<gpu::GpuDevice> devices, RecordFiles files)
    : source_(std::move(source)),
      devices_(std::move(devices)),
      files_(std::move(files)) {}

absl::Status Recorder::Start() {
  RETURN_IF_ERROR(files_.WriteSource(FormatSource(source_->Info(), devices_)));
  RETURN_IF_ERROR(files_.OpenCsv());
  return files_.Append(CsvHeader());
}

absl::Status Recorder::Sample() {
  for (const gpu::GpuDevice& device : devices_) {
    const auto sample = source_->Sample(device.index);
    if (sample.ok()) {
      intervals_[device.index].Add(*sample);
    } else if (absl::IsDeadlineExceeded(sample.status())) {
      return sample.status();
    }
  }
  return absl::OkStatus();
}

absl::Status Recorder::WriteRecord(absl::Duration since_start) {
  std::string lines;
  const int seconds = static_cast<int>(absl::ToInt64Seconds(since_start));
  for (const gpu::GpuDevice& device : devices_) {
    lines += intervals_[device.index].TakeCsvLine(
        seconds, device.minor.value_or(device.index));
  }
  return files_.Append(lines);
}

}  // namespace carme::gssr
