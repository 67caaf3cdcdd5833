// NVML, the library of NVIDIA's driver, as far as Carme uses it.
#ifndef CARME_SLURM_HOOKS_GPU_NVML_H_
#define CARME_SLURM_HOOKS_GPU_NVML_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "slurm-hooks/gpu/driver_library.h"

namespace carme::gpu {

using NvmlDevice = void*;
using NvmlGpmSample = void*;
using NvmlEventSet = void*;
inline constexpr int kNvmlSuccess = 0;
inline constexpr int kNvmlNotSupported = 3;
inline constexpr int kNvmlGpuIsLost = 15;
inline constexpr unsigned kNvmlTextBytes = 96;
inline constexpr int kNvmlTemperatureOfGpu = 0;
inline constexpr int kNvmlPcieTx = 0;
inline constexpr int kNvmlPcieRx = 1;
inline constexpr int kNvmlUncorrected = 1;
inline constexpr int kNvmlSinceBoot = 0;
inline constexpr uint64_t kNvmlXidEvent = 8;

// Reasons why the clocks are lower than they could be.
inline constexpr uint64_t kNvmlPowerCap = 0x04;
inline constexpr uint64_t kNvmlHardwareSlowdown = 0x08;
inline constexpr uint64_t kNvmlSoftwareThermal = 0x20;
inline constexpr uint64_t kNvmlHardwareThermal = 0x40;
inline constexpr uint64_t kNvmlPowerBrake = 0x80;
inline constexpr int kNvmlSmClock = 1;

struct NvmlUtilization {
  unsigned gpu;
  unsigned memory;
};
struct NvmlMemory {
  uint64_t total;
  uint64_t free;
  uint64_t used;
};
struct NvmlMemoryV2 {
  unsigned version;
  uint64_t total;
  uint64_t reserved;
  uint64_t free;
  uint64_t used;
};
struct NvmlEventData {
  NvmlDevice device;
  uint64_t type;
  uint64_t data;
  unsigned gpu_instance;
  unsigned compute_instance;
};
struct NvmlProcess {
  unsigned pid;
  uint64_t memory_bytes;
  unsigned gpu_instance;
  unsigned compute_instance;
};
struct NvmlGpmSupport {
  unsigned version;
  unsigned supported;
};
struct NvmlGpmMetric {
  unsigned id;
  int result;
  double value;
  const char* short_name;
  const char* long_name;
  const char* unit;
};
// The array has grown from driver to driver; a driver reads and writes the
// first `count`, and may clear all that it has.
inline constexpr size_t kNvmlGpmMetricCount = 512;
struct NvmlGpmMetrics {
  unsigned version;
  unsigned count;
  NvmlGpmSample first;
  NvmlGpmSample second;
  NvmlGpmMetric metrics[kNvmlGpmMetricCount];
};

// Its functions. If the status of `library` is OK, the first four are there;
// others are nullptr in versions that lack them.
struct Nvml {
  // `file` is a name or a path.
  explicit Nvml(const std::string& file = "libnvidia-ml.so.1")
      : library({file}) {}

  DriverLibrary library;

  int (*init)() = library.Find<int()>("nvmlInit_v2");
  int (*count)(unsigned*) =
      library.Find<int(unsigned*)>("nvmlDeviceGetCount_v2");
  int (*device)(unsigned, NvmlDevice*) =
      library.Find<int(unsigned, NvmlDevice*)>("nvmlDeviceGetHandleByIndex_v2");
  const char* (*error_string)(int) =
      library.Find<const char*(int)>("nvmlErrorString");
  int (*driver_version)(char*, unsigned) =
      library.FindOptional<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
  int (*minor)(NvmlDevice, unsigned*) =
      library.FindOptional<int(NvmlDevice, unsigned*)>(
          "nvmlDeviceGetMinorNumber");
  int (*uuid)(NvmlDevice, char*, unsigned) =
      library.FindOptional<int(NvmlDevice, char*, unsigned)>(
          "nvmlDeviceGetUUID");
  int (*name)(NvmlDevice, char*, unsigned) =
      library.FindOptional<int(NvmlDevice, char*, unsigned)>(
          "nvmlDeviceGetName");
  int (*power_limit)(NvmlDevice, unsigned*) =
      library.FindOptional<int(NvmlDevice, unsigned*)>(
          "nvmlDeviceGetPowerManagementDefaultLimit");
  int (*utilization)(NvmlDevice, NvmlUtilization*) =
      library.FindOptional<int(NvmlDevice, NvmlUtilization*)>(
          "nvmlDeviceGetUtilizationRates");
  int (*memory)(NvmlDevice, NvmlMemory*) =
      library.FindOptional<int(NvmlDevice, NvmlMemory*)>(
          "nvmlDeviceGetMemoryInfo");
  int (*memory_v2)(NvmlDevice, NvmlMemoryV2*) =
      library.FindOptional<int(NvmlDevice, NvmlMemoryV2*)>(
          "nvmlDeviceGetMemoryInfo_v2");
  int (*power)(NvmlDevice, unsigned*) =
      library.FindOptional<int(NvmlDevice, unsigned*)>(
          "nvmlDeviceGetPowerUsage");
  int (*energy)(NvmlDevice, uint64_t*) =
      library.FindOptional<int(NvmlDevice, uint64_t*)>(
          "nvmlDeviceGetTotalEnergyConsumption");
  int (*temperature)(NvmlDevice, int, unsigned*) =
      library.FindOptional<int(NvmlDevice, int, unsigned*)>(
          "nvmlDeviceGetTemperature");
  int (*pcie)(NvmlDevice, int, unsigned*) =
      library.FindOptional<int(NvmlDevice, int, unsigned*)>(
          "nvmlDeviceGetPcieThroughput");
  int (*ecc)(NvmlDevice, int, int, uint64_t*) =
      library.FindOptional<int(NvmlDevice, int, int, uint64_t*)>(
          "nvmlDeviceGetTotalEccErrors");
  int (*remapped_rows)(NvmlDevice, unsigned*, unsigned*, unsigned*, unsigned*) =
      library.FindOptional<int(NvmlDevice, unsigned*, unsigned*, unsigned*,
                               unsigned*)>("nvmlDeviceGetRemappedRows");
  int (*clock)(NvmlDevice, int, unsigned*) =
      library.FindOptional<int(NvmlDevice, int, unsigned*)>(
          "nvmlDeviceGetClockInfo");
  int (*clock_reasons)(NvmlDevice, uint64_t*) =
      library.FindOptional<int(NvmlDevice, uint64_t*)>(
          "nvmlDeviceGetCurrentClocksThrottleReasons");
  int (*processes)(NvmlDevice, unsigned*, NvmlProcess*) =
      library.FindOptional<int(NvmlDevice, unsigned*, NvmlProcess*)>(
          "nvmlDeviceGetComputeRunningProcesses_v3");
  int (*event_set)(NvmlEventSet*) =
      library.FindOptional<int(NvmlEventSet*)>("nvmlEventSetCreate");
  int (*register_events)(NvmlDevice, uint64_t, NvmlEventSet) =
      library.FindOptional<int(NvmlDevice, uint64_t, NvmlEventSet)>(
          "nvmlDeviceRegisterEvents");
  int (*wait_event)(NvmlEventSet, NvmlEventData*, unsigned) =
      library.FindOptional<int(NvmlEventSet, NvmlEventData*, unsigned)>(
          "nvmlEventSetWait_v2");
  int (*gpm_support)(NvmlDevice, NvmlGpmSupport*) =
      library.FindOptional<int(NvmlDevice, NvmlGpmSupport*)>(
          "nvmlGpmQueryDeviceSupport");
  int (*gpm_allocate)(NvmlGpmSample*) =
      library.FindOptional<int(NvmlGpmSample*)>("nvmlGpmSampleAlloc");
  int (*gpm_free)(NvmlGpmSample) =
      library.FindOptional<int(NvmlGpmSample)>("nvmlGpmSampleFree");
  int (*gpm_sample)(NvmlDevice, NvmlGpmSample) =
      library.FindOptional<int(NvmlDevice, NvmlGpmSample)>("nvmlGpmSampleGet");
  int (*gpm_metrics)(NvmlGpmMetrics*) =
      library.FindOptional<int(NvmlGpmMetrics*)>("nvmlGpmMetricsGet");
};

}  // namespace carme::gpu

#endif  // CARME_SLURM_HOOKS_GPU_NVML_H_
