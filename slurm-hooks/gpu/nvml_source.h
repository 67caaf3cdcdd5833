// NVIDIA's GPUs by NVML, and by GPM (Hopper and later) the activity of SMs and
// pipes. Earlier GPUs have no such activity in NVML, see dcgm_source.h.
#ifndef CARME_SLURM_HOOKS_GPU_NVML_SOURCE_H_
#define CARME_SLURM_HOOKS_GPU_NVML_SOURCE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "slurm-hooks/gpu/gpu_source.h"

namespace carme::gpu {

// NOT_FOUND: no driver or no device. `library` is a name or a path.
absl::StatusOr<std::unique_ptr<GpuSource>> OpenNvml(
    const std::string& library = "libnvidia-ml.so.1");

}  // namespace carme::gpu

#endif  // CARME_SLURM_HOOKS_GPU_NVML_SOURCE_H_
