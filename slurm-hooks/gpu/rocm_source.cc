#include "slurm-hooks/gpu/rocm_source.h"

#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/status.h"
#include "slurm-hooks/gpu/driver_library.h"
#include "slurm-hooks/gpu/messages.h"

namespace carme::gpu {
namespace {

// Facts of ROCm SMI's ABI.
constexpr int kRocmSuccess = 0;
constexpr int kVideoMemory = 0;
constexpr int kDriver = 0;
constexpr size_t kRocmTextBytes = 96;

class RocmSource : public GpuSource {
 public:
  explicit RocmSource(const DriverLibrary& library) : library_(library) {}

  absl::Status Open() {
    const auto init = library_.FindOptional<int(uint64_t)>("rsmi_init");
    const auto count =
        library_.FindOptional<int(uint32_t*)>("rsmi_num_monitor_devices");
    if (init == nullptr || count == nullptr) {
      return MakePlainError(
          gpu_messages::kNoFunction,
          {{"library", library_.path()}, {"function", "rsmi_init"}});
    }
    if (const int result = init(0); result != kRocmSuccess) {
      return MakePlainError(gpu_messages::kCallFailed,
                            {{"function", "rsmi_init"},
                             {"error", absl::StrCat("error ", result)}});
    }
    if (count(&count_) != kRocmSuccess || count_ == 0) {
      return MakePlainError(gpu_messages::kNoDevice,
                            {{"library", library_.path()}});
    }
    return absl::OkStatus();
  }

  GpuSourceInfo Info() const override {
    char version[kRocmTextBytes] = "";
    if (const auto read = library_.FindOptional<int(int, char*, uint32_t)>(
            "rsmi_version_str_get")) {
      read(kDriver, version, sizeof version);
    }
    return {.kind = "rocm_smi",
            .library_path = library_.path(),
            .driver_version =
                std::string(version, strnlen(version, sizeof version))};
  }

  std::vector<GpuDevice> Devices() const override {
    std::vector<GpuDevice> devices;
    for (uint32_t i = 0; i < count_; ++i) {
      GpuDevice device;
      device.index = static_cast<int>(i);
      char name[kRocmTextBytes] = "";
      if (const auto read = library_.FindOptional<int(uint32_t, char*, size_t)>(
              "rsmi_dev_name_get")) {
        read(i, name, sizeof name);
      }
      device.name = std::string(name, strnlen(name, sizeof name));
      if (const auto id = Read<uint64_t>("rsmi_dev_unique_id_get", i)) {
        device.uuid = absl::StrFormat("GPU-%016x", *id);
      }
      uint64_t microwatts = 0;
      if (const auto read =
              library_.FindOptional<int(uint32_t, uint32_t, uint64_t*)>(
                  "rsmi_dev_power_cap_get");
          read != nullptr && read(i, 0, &microwatts) == kRocmSuccess) {
        device.power_limit_w = static_cast<double>(microwatts) / 1e6;
      }
      devices.push_back(std::move(device));
    }
    return devices;
  }

  absl::StatusOr<GpuSample> Sample(int index) override {
    const auto device = static_cast<uint32_t>(index);
    if (device >= count_) {
      return MakePlainError(gpu_messages::kNoDevice,
                            {{"library", library_.path()}});
    }
    GpuSample sample;
    if (const auto percent =
            Read<uint32_t>("rsmi_dev_busy_percent_get", device)) {
      sample.gpu_util_percent = *percent;
    }
    const auto total = ReadMemory("rsmi_dev_memory_total_get", device);
    const auto used = ReadMemory("rsmi_dev_memory_usage_get", device);
    if (used) sample.memory_used_mib = static_cast<int64_t>(*used >> 20);
    if (used && total && *used <= *total) {
      sample.memory_free_mib = static_cast<int64_t>((*total - *used) >> 20);
    }
    uint64_t microwatts = 0;
    if (const auto read =
            library_.FindOptional<int(uint32_t, uint32_t, uint64_t*)>(
                "rsmi_dev_power_ave_get");
        read != nullptr && read(device, 0, &microwatts) == kRocmSuccess) {
      sample.power_w = static_cast<double>(microwatts) / 1e6;
    }
    uint64_t count = 0, time = 0;
    float microjoules = 0;
    if (const auto read =
            library_.FindOptional<int(uint32_t, uint64_t*, float*, uint64_t*)>(
                "rsmi_dev_energy_count_get");
        read != nullptr &&
        read(device, &count, &microjoules, &time) == kRocmSuccess) {
      sample.energy_mj = static_cast<uint64_t>(static_cast<double>(count) *
                                               microjoules / 1000);
    }
    return sample;
  }

 private:
  template <typename Value>
  std::optional<Value> Read(const char* function, uint32_t device) const {
    Value value{};
    const auto read = library_.FindOptional<int(uint32_t, Value*)>(function);
    if (read == nullptr || read(device, &value) != kRocmSuccess) {
      return std::nullopt;
    }
    return value;
  }
  std::optional<uint64_t> ReadMemory(const char* function,
                                     uint32_t device) const {
    uint64_t bytes = 0;
    const auto read =
        library_.FindOptional<int(uint32_t, int, uint64_t*)>(function);
    if (read == nullptr || read(device, kVideoMemory, &bytes) != kRocmSuccess) {
      return std::nullopt;
    }
    return bytes;
  }

  const DriverLibrary library_;
  uint32_t count_ = 0;
};

}  // namespace

absl::StatusOr<std::unique_ptr<GpuSource>> OpenRocm(
    const std::string& library) {
  std::vector<std::string> names = {library};
  if (library.empty()) {
    names = {"librocm_smi64.so.7", "librocm_smi64.so.6", "librocm_smi64.so.5"};
  }
  const DriverLibrary loaded(names);
  RETURN_IF_ERROR(loaded.status());
  auto source = std::make_unique<RocmSource>(loaded);
  RETURN_IF_ERROR(source->Open());
  return source;
}

}  // namespace carme::gpu
