// Where samples of GPUs come from: a library of the driver, loaded when the
// program runs.
#ifndef CARME_SLURM_HOOKS_GPU_GPU_SOURCE_H_
#define CARME_SLURM_HOOKS_GPU_GPU_SOURCE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace carme::gpu {

// What was read at one time. Absent: the device or the driver does not have it.
// A value that is not known is never zero.
struct GpuSample {
  std::optional<int64_t> gpu_util_percent{};
  std::optional<int64_t> memory_free_mib{};
  std::optional<int64_t> memory_used_mib{};
  std::optional<int64_t> memory_reserved_mib{};
  std::optional<double> power_w{};
  std::optional<double> temperature_c{};
  std::optional<uint64_t> energy_mj{};  // since the driver was loaded
  std::optional<int64_t> sm_clock_mhz{};
  // Why the clocks are lower than they could be: the limit of power, a high
  // temperature, a signal of the power supply.
  std::optional<bool> is_power_capped{};
  std::optional<bool> is_too_hot{};
  std::optional<bool> is_power_braked{};
  // Ratios, 0 to 1.
  std::optional<double> sm_active{};
  std::optional<double> sm_occupancy{};
  std::optional<double> tensor_active{};
  std::optional<double> imma_active{};
  std::optional<double> hmma_active{};
  std::optional<double> dfma_active{};
  std::optional<double> int_active{};
  std::optional<double> fp64_active{};
  std::optional<double> fp32_active{};
  std::optional<double> fp16_active{};
  std::optional<double> dram_active{};
  // Bytes a second.
  std::optional<int64_t> pcie_tx{};
  std::optional<int64_t> pcie_rx{};
  std::optional<int64_t> nvlink_tx{};
  std::optional<int64_t> nvlink_rx{};
  std::optional<int64_t> c2c_tx{};
  std::optional<int64_t> c2c_rx{};
  // Counters of errors.
  std::optional<uint64_t> ecc_uncorrected{};
  std::vector<uint64_t> xids{};  // since the last sample
  // The ids of the processes that compute on it; not read for each sample.
  std::optional<std::vector<int64_t>> processes{};
};

struct GpuDevice {
  int index = 0;               // of the library
  std::optional<int> minor{};  // of the device file: the same for all processes
  std::string uuid{};
  std::string name{};
  std::optional<double> power_limit_w{};  // of the board
  bool has_profiling = false;             // activity of SMs and pipes
};

// Shown beside each series, so that a test double is never taken for a GPU.
struct GpuSourceInfo {
  std::string kind;  // gpm, nvml, dcgm, rocm_smi
  std::string library_path;
  std::string driver_version;
};

// Not thread-safe. All functions may block as long as the driver does: see
// DeadlineSource.
class GpuSource {
 public:
  virtual ~GpuSource() = default;
  virtual GpuSourceInfo Info() const = 0;
  virtual std::vector<GpuDevice> Devices() const = 0;
  // `index`: GpuDevice::index. UNAVAILABLE: the device or the driver is lost.
  virtual absl::StatusOr<GpuSample> Sample(int index) = 0;
};

using GpuSourceFactory =
    std::function<absl::StatusOr<std::unique_ptr<GpuSource>>()>;

// The first source that has a device: NVML, then ROCm. NOT_FOUND: none; the
// text has the reason for each.
absl::StatusOr<std::unique_ptr<GpuSource>> OpenGpuSource();

// The increase of a counter; nullopt if it wrapped or was reset, as by a reset
// of the device.
std::optional<uint64_t> CounterIncrease(uint64_t before, uint64_t after);

}  // namespace carme::gpu

#endif  // CARME_SLURM_HOOKS_GPU_GPU_SOURCE_H_
