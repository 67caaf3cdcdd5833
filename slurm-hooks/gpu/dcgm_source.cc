#include "slurm-hooks/gpu/dcgm_source.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "slurm-hooks/gpu/dcgm.h"
#include "slurm-hooks/gpu/messages.h"

namespace carme::gpu {
namespace {

struct ActivityField {
  uint16_t id;
  std::optional<double> GpuSample::*field;
};
// What the saturation score needs, and memory. Each field more may make DCGM
// measure in turns, so these are all.
constexpr ActivityField kActivityFields[] = {
    {1002, &GpuSample::sm_active},     {1003, &GpuSample::sm_occupancy},
    {1004, &GpuSample::tensor_active}, {1005, &GpuSample::dram_active},
    {1006, &GpuSample::fp64_active},   {1007, &GpuSample::fp32_active},
    {1008, &GpuSample::fp16_active}};

struct LinkField {
  uint16_t id;
  std::optional<int64_t> GpuSample::*field;
};
constexpr LinkField kLinkFields[] = {{1009, &GpuSample::pcie_tx},
                                     {1010, &GpuSample::pcie_rx},
                                     {1011, &GpuSample::nvlink_tx},
                                     {1012, &GpuSample::nvlink_rx}};

template <typename Fields>
std::vector<uint16_t> FieldIds(const Fields& fields) {
  std::vector<uint16_t> ids;
  for (const auto& field : fields) ids.push_back(field.id);
  return ids;
}

absl::Status DcgmError(const Dcgm& dcgm, const char* function, int result) {
  const char* const text =
      dcgm.error_string == nullptr ? nullptr : dcgm.error_string(result);
  return MakePlainError(
      gpu_messages::kCallFailed,
      {{"function", function},
       {"error",
        text == nullptr ? absl::StrCat("error ", result) : std::string(text)}});
}

template <size_t kSize>
std::string_view BoundedText(const char (&text)[kSize]) {
  return {text, strnlen(text, kSize)};
}

bool IsValue(const DcgmValue& value, char type) {
  return value.status == kDcgmOk && value.type == static_cast<uint16_t>(type);
}

std::optional<double> ReadRatio(const DcgmValue& value) {
  if (!IsValue(value, kDcgmDouble)) return std::nullopt;
  const double ratio = value.value.number;
  if (!std::isfinite(ratio) || ratio < 0 || ratio >= kDcgmBlankDouble) {
    return std::nullopt;
  }
  return ratio;
}

std::optional<int64_t> ReadInteger(const DcgmValue& value) {
  if (!IsValue(value, kDcgmInteger)) return std::nullopt;
  const int64_t integer = value.value.integer;
  if (integer < 0 || integer >= kDcgmBlankInteger) return std::nullopt;
  return integer;
}

// Whether this value of the MIG mode says that the GPU is not divided. Older
// GPUs have no mode.
bool IsWhole(const DcgmValue& value) {
  if (value.status == kDcgmNotSupported) return true;
  return IsValue(value, kDcgmInteger) &&
         (value.value.integer == 0 ||
          value.value.integer == kDcgmBlankNotSupported);
}

class DcgmSource : public GpuSource {
 public:
  DcgmSource(const Dcgm& dcgm, const DcgmOptions& options)
      : dcgm_(dcgm), options_(options) {}
  DcgmSource(const DcgmSource&) = delete;
  DcgmSource& operator=(const DcgmSource&) = delete;
  ~DcgmSource() override {
    // Without the connection the host engine forgets its groups and watches.
    if (is_connected_) dcgm_.disconnect(connection_);
    if (is_initialized_) dcgm_.shutdown();
  }

  absl::Status Open(const std::vector<std::string>& uuids) {
    RETURN_IF_ERROR(Connect());
    RETURN_IF_ERROR(FindDevices(uuids));
    RETURN_IF_ERROR(DropDividedDevices());
    RETURN_IF_ERROR(CreateGroup());
    RETURN_IF_ERROR(Watch("activity", FieldIds(kActivityFields)));
    // A GPU without these still has its activity.
    Watch("links", FieldIds(kLinkFields)).IgnoreError();
    // Values that the host engine has kept of an earlier time are no samples.
    for (auto& [id, device] : devices_) {
      ASSIGN_OR_RETURN(const std::vector<DcgmValue> values,
                       Read({id}, fields_, 0));
      for (const DcgmValue& value : values) {
        device.updates[value.field].time_us = value.time_us;
      }
    }
    return absl::OkStatus();
  }

  GpuSourceInfo Info() const override {
    return {.kind = "dcgm",
            .library_path = dcgm_.library.path(),
            .driver_version = version_};
  }

  std::vector<GpuDevice> Devices() const override {
    std::vector<GpuDevice> devices;
    for (const auto& [id, device] : devices_) devices.push_back(device.facts);
    return devices;
  }

  absl::StatusOr<GpuSample> Sample(int index) override {
    const auto found = devices_.find(static_cast<unsigned>(index));
    if (found == devices_.end()) return NoDevice();
    ASSIGN_OR_RETURN(const std::vector<DcgmValue> values,
                     Read({found->first}, fields_, 0));
    const Clock::time_point now = Clock::now();
    GpuSample sample;
    for (const DcgmValue& value : values) {
      if (!IsCurrent(value, now, &found->second)) continue;
      for (const ActivityField& one : kActivityFields) {
        if (one.id == value.field) sample.*one.field = ReadRatio(value);
      }
      for (const LinkField& one : kLinkFields) {
        if (one.id == value.field) sample.*one.field = ReadInteger(value);
      }
    }
    return sample;
  }

 private:
  using Clock = std::chrono::steady_clock;
  // The last update of a field.
  struct Update {
    int64_t time_us = 0;  // of the host engine
    // When it was seen here; nullopt: before the watch.
    std::optional<Clock::time_point> seen_at;
  };
  struct Device {
    GpuDevice facts;
    std::map<uint16_t, Update> updates;
  };

  absl::Status NoDevice() const {
    return MakePlainError(gpu_messages::kDcgmHasNoGpu,
                          {{"address", options_.host_engine}});
  }

  absl::Status Connect() {
    if (const int result = dcgm_.init(); result != kDcgmOk) {
      return DcgmError(dcgm_, "dcgmInit", result);
    }
    is_initialized_ = true;
    DcgmConnectOptions options = {
        .version = DcgmVersion<DcgmConnectOptions>(2),
        .persist = 0,
        .timeout_ms =
            static_cast<unsigned>(absl::ToInt64Milliseconds(options_.timeout)),
        .is_unix_socket = options_.host_engine.starts_with('/')};
    if (const int result =
            dcgm_.connect(options_.host_engine.c_str(), &options, &connection_);
        result != kDcgmOk) {
      return DcgmError(dcgm_, "dcgmConnect", result);
    }
    is_connected_ = true;
    ReadVersion();
    return absl::OkStatus();
  }

  void ReadVersion() {
    constexpr std::string_view kKey = "version:";
    DcgmBuild build{};
    build.version = DcgmVersion<DcgmBuild>(2);
    if (dcgm_.host_engine_build == nullptr ||
        dcgm_.host_engine_build(connection_, &build) != kDcgmOk) {
      return;
    }
    std::string_view text = BoundedText(build.text);
    if (text.starts_with(kKey)) text.remove_prefix(kKey.size());
    version_ = text.substr(0, text.find(';'));
  }

  // One value for each pair of GPU and field, without those of other versions
  // of the structure and of what was not asked for. In no order.
  absl::StatusOr<std::vector<DcgmValue>> Read(const std::vector<unsigned>& ids,
                                              std::vector<uint16_t> fields,
                                              unsigned flags) const {
    std::vector<DcgmEntity> entities;
    for (const unsigned id : ids) entities.push_back({kDcgmGpu, id});
    std::vector<DcgmValue> values(ids.size() * fields.size());
    if (values.empty()) return values;
    const int result = dcgm_.values(
        connection_, entities.data(), static_cast<unsigned>(entities.size()),
        fields.data(), static_cast<unsigned>(fields.size()), flags,
        values.data());
    if (result != kDcgmOk) {
      return DcgmError(dcgm_, "dcgmEntitiesGetLatestValues", result);
    }
    std::erase_if(values, [&](const DcgmValue& value) {
      return value.version != DcgmVersion<DcgmValue>(2) ||
             value.entity_kind != kDcgmGpu ||
             std::find(ids.begin(), ids.end(), value.entity) == ids.end();
    });
    return values;
  }

  // The host engine has other indexes than NVML in a job.
  absl::Status FindDevices(const std::vector<std::string>& uuids) {
    std::vector<unsigned> ids(kDcgmMaxDevices);
    int count = 0;
    if (const int result = dcgm_.devices(connection_, ids.data(), &count);
        result != kDcgmOk) {
      return DcgmError(dcgm_, "dcgmGetAllDevices", result);
    }
    ids.resize(static_cast<size_t>(
        std::clamp(count, 0, static_cast<int>(kDcgmMaxDevices))));
    ASSIGN_OR_RETURN(const std::vector<DcgmValue> values,
                     Read(ids, {kDcgmUuid}, kDcgmLive));
    for (const DcgmValue& value : values) {
      if (!IsValue(value, kDcgmText)) continue;
      const std::string uuid(BoundedText(value.value.text));
      if (std::find(uuids.begin(), uuids.end(), uuid) == uuids.end()) continue;
      Device device;
      device.facts.index = static_cast<int>(value.entity);
      device.facts.uuid = uuid;
      device.facts.has_profiling = true;
      devices_.emplace(value.entity, std::move(device));
    }
    return devices_.empty() ? NoDevice() : absl::OkStatus();
  }

  absl::Status DropDividedDevices() {
    ASSIGN_OR_RETURN(const std::vector<DcgmValue> values,
                     Read(DeviceIds(), {kDcgmMigMode}, kDcgmLive));
    std::erase_if(devices_, [&](const auto& entry) {
      return std::none_of(values.begin(), values.end(), [&](const auto& value) {
        return value.entity == entry.first && IsWhole(value);
      });
    });
    return devices_.empty() ? NoDevice() : absl::OkStatus();
  }

  std::vector<unsigned> DeviceIds() const {
    std::vector<unsigned> ids;
    for (const auto& [id, device] : devices_) ids.push_back(id);
    return ids;
  }

  // Two groups of a host engine must not have the same name.
  static std::string UniqueName(const char* what) {
    return absl::StrCat("carme-", what, "-", getpid(), "-",
                        Clock::now().time_since_epoch().count());
  }

  absl::Status CreateGroup() {
    if (const int result = dcgm_.create_group(
            connection_, kDcgmEmptyGroup, UniqueName("job").c_str(), &group_);
        result != kDcgmOk) {
      return DcgmError(dcgm_, "dcgmGroupCreate", result);
    }
    for (const auto& [id, device] : devices_) {
      if (const int result = dcgm_.add_device(connection_, group_, id);
          result != kDcgmOk) {
        return DcgmError(dcgm_, "dcgmGroupAddDevice", result);
      }
    }
    return absl::OkStatus();
  }

  absl::Status Watch(const char* what, const std::vector<uint16_t>& fields) {
    constexpr int kMaxUpdates = 2;
    DcgmHandle field_group = 0;
    if (const int result = dcgm_.create_field_group(
            connection_, static_cast<int>(fields.size()), fields.data(),
            UniqueName(what).c_str(), &field_group);
        result != kDcgmOk) {
      return DcgmError(dcgm_, "dcgmFieldGroupCreate", result);
    }
    if (const int result = dcgm_.watch(
            connection_, group_, field_group,
            absl::ToInt64Microseconds(options_.interval),
            absl::ToDoubleSeconds(10 * options_.interval), kMaxUpdates);
        result != kDcgmOk) {
      return DcgmError(dcgm_, "dcgmWatchFields", result);
    }
    fields_.insert(fields_.end(), fields.begin(), fields.end());
    return absl::OkStatus();
  }

  // Whether the value was updated after the watch began and within the last two
  // intervals, by this process's clock: sampling and updates are not in step.
  bool IsCurrent(const DcgmValue& value, Clock::time_point now,
                 Device* device) const {
    Update& update = device->updates[value.field];
    if (value.time_us != update.time_us) {
      update.time_us = value.time_us;
      update.seen_at = now;
    }
    return update.seen_at &&
           absl::FromChrono(now - *update.seen_at) <= 2 * options_.interval;
  }

  const Dcgm dcgm_;
  const DcgmOptions options_;
  bool is_initialized_ = false;
  bool is_connected_ = false;
  DcgmHandle connection_ = 0;
  DcgmHandle group_ = 0;
  std::string version_;
  std::vector<uint16_t> fields_;  // watched
  std::map<unsigned, Device> devices_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<GpuSource>> OpenDcgm(
    const DcgmOptions& options, const std::vector<std::string>& uuids) {
  const Dcgm dcgm(options.libraries);
  RETURN_IF_ERROR(dcgm.library.status());
  auto source = std::make_unique<DcgmSource>(dcgm, options);
  RETURN_IF_ERROR(source->Open(uuids));
  return source;
}

}  // namespace carme::gpu
