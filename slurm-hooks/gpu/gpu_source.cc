#include "slurm-hooks/gpu/gpu_source.h"

#include "slurm-hooks/gpu/messages.h"
#include "slurm-hooks/gpu/nvml_source.h"
#include "slurm-hooks/gpu/rocm_source.h"

namespace carme::gpu {

absl::StatusOr<std::unique_ptr<GpuSource>> OpenGpuSource() {
  auto nvml = OpenNvml();
  if (nvml.ok()) return nvml;
  auto rocm = OpenRocm();
  if (rocm.ok()) return rocm;
  return MakePlainError(gpu_messages::kNoSource,
                        {{"nvml", std::string(nvml.status().message())},
                         {"rocm", std::string(rocm.status().message())}});
}

std::optional<uint64_t> CounterIncrease(uint64_t before, uint64_t after) {
  if (after < before) return std::nullopt;
  return after - before;
}

}  // namespace carme::gpu
