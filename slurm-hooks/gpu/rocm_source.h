// AMD's GPUs by ROCm SMI. It has no activity of pipes: those values are absent.
#ifndef CARME_SLURM_HOOKS_GPU_ROCM_SOURCE_H_
#define CARME_SLURM_HOOKS_GPU_ROCM_SOURCE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "slurm-hooks/gpu/gpu_source.h"

namespace carme::gpu {

// NOT_FOUND: no driver or no device. Without `library`, the versions known.
absl::StatusOr<std::unique_ptr<GpuSource>> OpenRocm(
    const std::string& library = "");

}  // namespace carme::gpu

#endif  // CARME_SLURM_HOOKS_GPU_ROCM_SOURCE_H_
