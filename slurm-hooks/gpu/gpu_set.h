// Which of the devices that a library finds are those of a job. Pure.
#ifndef CARME_SLURM_HOOKS_GPU_GPU_SET_H_
#define CARME_SLURM_HOOKS_GPU_GPU_SET_H_

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "slurm-hooks/gpu/gpu_source.h"

namespace carme::gpu {

// The value of an environment variable; nullopt: not set.
using Environment =
    std::function<std::optional<std::string>(std::string_view name)>;

// Reads getenv(3).
std::optional<std::string> ProcessEnvironment(std::string_view name);

// In a job: the devices of SLURM_STEP_GPUS, else of SLURM_JOB_GPUS, both by the
// number of the device file; if the cgroup lets the library find exactly as
// many, those. Else CUDA_VISIBLE_DEVICES or ROCR_VISIBLE_DEVICES, by index or
// UUID. A job without any of them has none. Outside of a job: all that these
// variables allow.
std::vector<GpuDevice> SelectJobDevices(const std::vector<GpuDevice>& found,
                                        const Environment& environment);

// Whether SelectJobDevices() may select a device: false for a job without
// GPUs, whose node's driver need not be loaded.
bool MayHaveDevices(const Environment& environment);

}  // namespace carme::gpu

#endif  // CARME_SLURM_HOOKS_GPU_GPU_SET_H_
