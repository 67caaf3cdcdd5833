// Errors of the sources of GPU samples.
#ifndef CARME_SLURM_HOOKS_GPU_MESSAGES_H_
#define CARME_SLURM_HOOKS_GPU_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::gpu_messages {

inline constexpr ErrorTemplate kNoSource{
    absl::StatusCode::kNotFound, "GPU_NO_SOURCE",
    "no GPU can be read: NVML: {nvml}; ROCm: {rocm}"};

inline constexpr ErrorTemplate kNoLibrary{
    absl::StatusCode::kNotFound, "GPU_NO_LIBRARY",
    "library \"{library}\" was not loaded: {error}"};

inline constexpr ErrorTemplate kNoFunction{
    absl::StatusCode::kUnimplemented, "GPU_NO_FUNCTION",
    "\"{library}\" lacks the function {function}"};

inline constexpr ErrorTemplate kNoDevice{absl::StatusCode::kNotFound,
                                         "GPU_NO_DEVICE",
                                         "\"{library}\" finds no device"};

inline constexpr ErrorTemplate kDcgmHasNoGpu{
    absl::StatusCode::kNotFound, "GPU_DCGM_HAS_NO_GPU",
    "the DCGM host engine \"{address}\" has none of the job's GPUs undivided"};

inline constexpr ErrorTemplate kCallFailed{
    absl::StatusCode::kUnavailable, "GPU_CALL_FAILED", "{function}: {error}"};

inline constexpr ErrorTemplate kDriverHangs{
    absl::StatusCode::kDeadlineExceeded, "GPU_DRIVER_HANGS",
    "the GPU driver did not return within {timeout}: it is not called again"};

}  // namespace carme::gpu_messages

#endif  // CARME_SLURM_HOOKS_GPU_MESSAGES_H_
