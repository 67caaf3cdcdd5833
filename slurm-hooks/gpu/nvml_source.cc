#include "slurm-hooks/gpu/nvml_source.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "slurm-hooks/gpu/messages.h"
#include "slurm-hooks/gpu/nvml.h"

namespace carme::gpu {
namespace {

constexpr double kMib = 1 << 20;
// A shorter interval between two samples of GPM has no meaning.
constexpr auto kGpmInterval = std::chrono::milliseconds(100);
constexpr auto kProcessesInterval = std::chrono::seconds(5);
constexpr size_t kMaxProcesses = 256;  // of a device

struct Ratio {
  unsigned id;
  std::optional<double> GpuSample::*field;
};
constexpr Ratio kRatios[] = {
    {2, &GpuSample::sm_active},     {3, &GpuSample::sm_occupancy},
    {5, &GpuSample::tensor_active}, {6, &GpuSample::dfma_active},
    {7, &GpuSample::hmma_active},   {9, &GpuSample::imma_active},
    {4, &GpuSample::int_active},    {11, &GpuSample::fp64_active},
    {12, &GpuSample::fp32_active},  {13, &GpuSample::fp16_active},
    {10, &GpuSample::dram_active}};

struct Rate {
  unsigned id;
  std::optional<int64_t> GpuSample::*field;
};
constexpr Rate kRates[] = {
    {20, &GpuSample::pcie_tx},   {21, &GpuSample::pcie_rx},
    {61, &GpuSample::nvlink_tx}, {60, &GpuSample::nvlink_rx},
    {100, &GpuSample::c2c_tx},   {101, &GpuSample::c2c_rx}};

// The driver names the unit of a rate; without a name it is MiB/s.
double BytesOfUnit(const char* unit) {
  const std::string_view name = unit == nullptr ? "" : unit;
  if (name.starts_with("B")) return 1;
  if (name.starts_with("K")) return 1 << 10;
  if (name.starts_with("G")) return 1 << 30;
  return kMib;
}

absl::Status Failed(const Nvml& nvml, const char* function, int result) {
  const char* const text = nvml.error_string(result);
  return MakePlainError(
      gpu_messages::kCallFailed,
      {{"function", function},
       {"error",
        text == nullptr ? absl::StrCat("error ", result) : std::string(text)}});
}

// The value of a call that may be missing or not supported.
template <typename Value, typename Function, typename... Arguments>
std::optional<Value> Read(int* lost, Function* function,
                          Arguments... arguments) {
  Value value{};
  if (function == nullptr) return std::nullopt;
  const int result = function(arguments..., &value);
  if (result == kNvmlGpuIsLost) *lost = result;
  if (result != kNvmlSuccess) return std::nullopt;
  return value;
}

std::string ReadText(int (*function)(NvmlDevice, char*, unsigned),
                     NvmlDevice device) {
  char text[kNvmlTextBytes] = "";
  if (function == nullptr ||
      function(device, text, sizeof text) != kNvmlSuccess) {
    return "";
  }
  return std::string(text, strnlen(text, sizeof text));
}

class NvmlSource : public GpuSource {
 public:
  explicit NvmlSource(const Nvml& nvml) : nvml_(nvml) {}
  NvmlSource(const NvmlSource&) = delete;
  NvmlSource& operator=(const NvmlSource&) = delete;
  ~NvmlSource() override {
    for (auto& [index, device] : devices_) {
      if (device.before != nullptr) nvml_.gpm_free(device.before);
      if (device.after != nullptr) nvml_.gpm_free(device.after);
    }
  }

  absl::Status Open() {
    if (const int result = nvml_.init(); result != kNvmlSuccess) {
      return Failed(nvml_, "nvmlInit", result);
    }
    unsigned count = 0;
    if (const int result = nvml_.count(&count); result != kNvmlSuccess) {
      return Failed(nvml_, "nvmlDeviceGetCount", result);
    }
    for (unsigned i = 0; i < count; ++i) {
      NvmlDevice handle = nullptr;
      // Devices that the job's cgroup does not permit fail here.
      if (nvml_.device(i, &handle) == kNvmlSuccess) AddDevice(i, handle);
    }
    if (devices_.empty()) {
      return MakePlainError(gpu_messages::kNoDevice,
                            {{"library", nvml_.library.path()}});
    }
    OpenEvents();
    return absl::OkStatus();
  }

  GpuSourceInfo Info() const override {
    bool profiling = false;
    for (const auto& [index, device] : devices_) {
      profiling = profiling || device.facts.has_profiling;
    }
    char version[kNvmlTextBytes] = "";
    if (nvml_.driver_version != nullptr) {
      nvml_.driver_version(version, sizeof version);
    }
    return {.kind = profiling ? "gpm" : "nvml",
            .library_path = nvml_.library.path(),
            .driver_version =
                std::string(version, strnlen(version, sizeof version))};
  }

  std::vector<GpuDevice> Devices() const override {
    std::vector<GpuDevice> devices;
    for (const auto& [index, device] : devices_) {
      devices.push_back(device.facts);
    }
    return devices;
  }

  absl::StatusOr<GpuSample> Sample(int index) override {
    const auto found = devices_.find(index);
    if (found == devices_.end()) {
      return MakePlainError(gpu_messages::kNoDevice,
                            {{"library", nvml_.library.path()}});
    }
    Device& device = found->second;
    GpuSample sample;
    int lost = kNvmlSuccess;
    ReadBasics(device.handle, &sample, &lost);
    if (lost != kNvmlSuccess) return Failed(nvml_, "nvmlDeviceGet", lost);
    if (device.facts.has_profiling) ReadGpm(&device, &sample);
    if (!sample.pcie_tx) {
      if (const auto kib =
              Read<unsigned>(&lost, nvml_.pcie, device.handle, kNvmlPcieTx)) {
        sample.pcie_tx = int64_t{*kib} * 1024;
      }
    }
    if (!sample.pcie_rx) {
      if (const auto kib =
              Read<unsigned>(&lost, nvml_.pcie, device.handle, kNvmlPcieRx)) {
        sample.pcie_rx = int64_t{*kib} * 1024;
      }
    }
    ReadProcesses(&device, &sample);
    TakeEvents();
    sample.xids = std::exchange(device.xids, {});
    return sample;
  }

 private:
  struct Device {
    GpuDevice facts;
    NvmlDevice handle = nullptr;
    NvmlGpmSample before = nullptr;
    NvmlGpmSample after = nullptr;
    std::optional<std::chrono::steady_clock::time_point> before_time;
    std::vector<uint64_t> xids;
    std::optional<std::chrono::steady_clock::time_point> processes_time;
  };

  void AddDevice(unsigned index, NvmlDevice handle) {
    Device device;
    device.handle = handle;
    int lost = kNvmlSuccess;
    device.facts.index = static_cast<int>(index);
    if (const auto minor = Read<unsigned>(&lost, nvml_.minor, handle)) {
      device.facts.minor = static_cast<int>(*minor);
    }
    device.facts.uuid = ReadText(nvml_.uuid, handle);
    device.facts.name = ReadText(nvml_.name, handle);
    if (const auto limit = Read<unsigned>(&lost, nvml_.power_limit, handle)) {
      device.facts.power_limit_w = *limit / 1000.0;
    }
    device.facts.has_profiling = OpenGpm(&device);
    devices_.emplace(device.facts.index, std::move(device));
  }

  bool OpenGpm(Device* device) {
    if (nvml_.gpm_support == nullptr || nvml_.gpm_allocate == nullptr ||
        nvml_.gpm_free == nullptr || nvml_.gpm_sample == nullptr ||
        nvml_.gpm_metrics == nullptr) {
      return false;
    }
    NvmlGpmSupport support{.version = 1, .supported = 0};
    if (nvml_.gpm_support(device->handle, &support) != kNvmlSuccess ||
        support.supported == 0) {
      return false;
    }
    return nvml_.gpm_allocate(&device->before) == kNvmlSuccess &&
           nvml_.gpm_allocate(&device->after) == kNvmlSuccess;
  }

  void OpenEvents() {
    if (nvml_.event_set == nullptr || nvml_.register_events == nullptr ||
        nvml_.wait_event == nullptr ||
        nvml_.event_set(&events_) != kNvmlSuccess) {
      events_ = nullptr;
      return;
    }
    for (auto& [index, device] : devices_) {
      nvml_.register_events(device.handle, kNvmlXidEvent, events_);
    }
  }

  void TakeEvents() {
    constexpr int kMaxEvents = 64;  // a flood of events must not delay samples
    for (int i = 0; events_ != nullptr && i < kMaxEvents; ++i) {
      NvmlEventData event{};
      if (nvml_.wait_event(events_, &event, 0) != kNvmlSuccess) return;
      if (event.type != kNvmlXidEvent) continue;
      for (auto& [index, device] : devices_) {
        if (device.handle == event.device) device.xids.push_back(event.data);
      }
    }
  }

  void ReadBasics(NvmlDevice handle, GpuSample* sample, int* lost) {
    if (const auto use =
            Read<NvmlUtilization>(lost, nvml_.utilization, handle)) {
      sample->gpu_util_percent = use->gpu;
    }
    ReadMemory(handle, sample, lost);
    if (const auto mw = Read<unsigned>(lost, nvml_.power, handle)) {
      sample->power_w = *mw / 1000.0;
    }
    if (const auto mj = Read<uint64_t>(lost, nvml_.energy, handle)) {
      sample->energy_mj = *mj;
    }
    if (const auto celsius = Read<unsigned>(lost, nvml_.temperature, handle,
                                            kNvmlTemperatureOfGpu)) {
      sample->temperature_c = *celsius;
    }
    if (const auto mhz =
            Read<unsigned>(lost, nvml_.clock, handle, kNvmlSmClock)) {
      sample->sm_clock_mhz = *mhz;
    }
    if (const auto reasons =
            Read<uint64_t>(lost, nvml_.clock_reasons, handle)) {
      sample->is_power_capped = (*reasons & kNvmlPowerCap) != 0;
      sample->is_too_hot =
          (*reasons & (kNvmlSoftwareThermal | kNvmlHardwareThermal)) != 0;
      sample->is_power_braked = (*reasons & kNvmlPowerBrake) != 0;
    }
    if (const auto errors = Read<uint64_t>(lost, nvml_.ecc, handle,
                                           kNvmlUncorrected, kNvmlSinceBoot)) {
      sample->ecc_uncorrected = *errors;
    }
  }

  void ReadMemory(NvmlDevice handle, GpuSample* sample, int* lost) {
    const auto mib = [](uint64_t bytes) {
      return static_cast<int64_t>(bytes >> 20);
    };
    NvmlMemoryV2 v2{};
    v2.version = sizeof(NvmlMemoryV2) | (2U << 24);
    if (nvml_.memory_v2 != nullptr &&
        nvml_.memory_v2(handle, &v2) == kNvmlSuccess) {
      sample->memory_free_mib = mib(v2.free);
      sample->memory_used_mib = mib(v2.used);
      sample->memory_reserved_mib = mib(v2.reserved);
      return;
    }
    if (const auto memory = Read<NvmlMemory>(lost, nvml_.memory, handle)) {
      sample->memory_free_mib = mib(memory->free);
      sample->memory_used_mib = mib(memory->used);
    }
  }

  void ReadProcesses(Device* device, GpuSample* sample) {
    if (nvml_.processes == nullptr) return;
    const auto now = std::chrono::steady_clock::now();
    if (device->processes_time &&
        now - *device->processes_time < kProcessesInterval) {
      return;
    }
    device->processes_time = now;
    std::vector<NvmlProcess> processes(kMaxProcesses);
    auto count = static_cast<unsigned>(processes.size());
    // Of more processes there is no part.
    if (nvml_.processes(device->handle, &count, processes.data()) !=
        kNvmlSuccess) {
      return;
    }
    processes.resize(std::min<size_t>(count, processes.size()));
    std::vector<int64_t>& pids = sample->processes.emplace();
    for (const NvmlProcess& process : processes) pids.push_back(process.pid);
  }

  // Values of the interval since the last sample; none for the first.
  void ReadGpm(Device* device, GpuSample* sample) {
    const auto now = std::chrono::steady_clock::now();
    if (device->before_time && now - *device->before_time < kGpmInterval) {
      return;
    }
    if (nvml_.gpm_sample(device->handle, device->after) != kNvmlSuccess) return;
    if (device->before_time) ReadGpmMetrics(*device, sample);
    std::swap(device->before, device->after);
    device->before_time = now;
  }

  void ReadGpmMetrics(const Device& device, GpuSample* sample) {
    auto request = std::make_unique<NvmlGpmMetrics>();
    request->version = 1;
    request->first = device.before;
    request->second = device.after;
    for (const Ratio& ratio : kRatios) {
      request->metrics[request->count++].id = ratio.id;
    }
    for (const Rate& rate : kRates) {
      request->metrics[request->count++].id = rate.id;
    }
    if (nvml_.gpm_metrics(request.get()) != kNvmlSuccess) return;
    const NvmlGpmMetric* metric = request->metrics;
    for (const Ratio& ratio : kRatios) {
      if (metric->result == kNvmlSuccess && std::isfinite(metric->value)) {
        sample->*ratio.field = metric->value / 100;
      }
      ++metric;
    }
    for (const Rate& rate : kRates) {
      if (metric->result == kNvmlSuccess && std::isfinite(metric->value)) {
        sample->*rate.field =
            std::llround(metric->value * BytesOfUnit(metric->unit));
      }
      ++metric;
    }
  }

  const Nvml nvml_;
  NvmlEventSet events_ = nullptr;
  std::map<int, Device> devices_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<GpuSource>> OpenNvml(
    const std::string& library) {
  const Nvml nvml(library);
  RETURN_IF_ERROR(nvml.library.status());
  auto source = std::make_unique<NvmlSource>(nvml);
  RETURN_IF_ERROR(source->Open());
  return source;
}

}  // namespace carme::gpu
