#include "slurm-hooks/sampler/gpu_metric_source.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/gpu_saturation/saturation.h"
#include "common/log.h"
#include "slurm-hooks/gpu/dcgm_source.h"

namespace carme::sampler {
namespace {

using gpu::GpuSample;

constexpr double kMib = 1 << 20;
constexpr double kHertzOfMegahertz = 1e6;
constexpr size_t kMaxRanks = 64;  // of a GPU

// Adds the values of a sample, each with its place in the set of series, except
// those of series of the other source.
class SampleWriter {
 public:
  SampleWriter(SeriesOwner own, std::vector<SeriesOwner>* owners,
               SeriesSet* series, int64_t now_ms, SampleBuffer* buffer)
      : own_(own),
        owners_(owners),
        series_(series),
        now_ms_(now_ms),
        buffer_(buffer) {}

  // `factor`: of the unit that the sample has to that of the name.
  template <typename Value>
  void Add(const char* name, const std::optional<Value>& value,
           double factor = 1) {
    const size_t place = next_++;
    if (!value) return;
    if (place >= owners_->size()) owners_->resize(place + 1);
    SeriesOwner& owner = (*owners_)[place];
    if (owner == SeriesOwner::kNone) owner = own_;
    if (owner != own_) return;
    series_->Add(buffer_, now_ms_, place, name,
                 static_cast<double>(*value) * factor);
  }

 private:
  const SeriesOwner own_;
  std::vector<SeriesOwner>* const owners_;
  SeriesSet* const series_;
  const int64_t now_ms_;
  SampleBuffer* const buffer_;
  size_t next_ = 0;
};

std::optional<double> Score(const GpuSample& sample) {
  const auto input =
      gpu::ToSaturationInput({.sm_active = sample.sm_active,
                              .sm_occupancy = sample.sm_occupancy,
                              .tensor = sample.tensor_active,
                              .fp64 = sample.fp64_active,
                              .fp32 = sample.fp32_active,
                              .fp16 = sample.fp16_active});
  if (!input) return std::nullopt;
  return gpu::Saturation(*input);
}

void AddValues(const GpuSample& sample,
               const std::optional<double>& power_limit_w,
               SampleWriter* writer) {
  writer->Add("carme_gpu_utilization_ratio", sample.gpu_util_percent, 0.01);
  writer->Add("carme_gpu_memory_free_bytes", sample.memory_free_mib, kMib);
  writer->Add("carme_gpu_memory_used_bytes", sample.memory_used_mib, kMib);
  writer->Add("carme_gpu_memory_reserved_bytes", sample.memory_reserved_mib,
              kMib);
  writer->Add("carme_gpu_power_watts", sample.power_w);
  writer->Add("carme_gpu_power_limit_watts", power_limit_w);
  writer->Add("carme_gpu_temperature_celsius", sample.temperature_c);
  writer->Add("carme_gpu_energy_joules_total", sample.energy_mj, 0.001);
  writer->Add("carme_gpu_sm_clock_hertz", sample.sm_clock_mhz,
              kHertzOfMegahertz);
  writer->Add("carme_gpu_power_cap_ratio", sample.is_power_capped);
  writer->Add("carme_gpu_thermal_slowdown_ratio", sample.is_too_hot);
  writer->Add("carme_gpu_power_brake_ratio", sample.is_power_braked);
  writer->Add("carme_gpu_ecc_uncorrected_errors_total", sample.ecc_uncorrected);
  writer->Add("carme_gpu_saturation_ratio", Score(sample));
  writer->Add("carme_gpu_sm_active_ratio", sample.sm_active);
  writer->Add("carme_gpu_sm_occupancy_ratio", sample.sm_occupancy);
  writer->Add("carme_gpu_tensor_active_ratio", sample.tensor_active);
  writer->Add("carme_gpu_imma_active_ratio", sample.imma_active);
  writer->Add("carme_gpu_hmma_active_ratio", sample.hmma_active);
  writer->Add("carme_gpu_dfma_active_ratio", sample.dfma_active);
  writer->Add("carme_gpu_int_active_ratio", sample.int_active);
  writer->Add("carme_gpu_fp64_active_ratio", sample.fp64_active);
  writer->Add("carme_gpu_fp32_active_ratio", sample.fp32_active);
  writer->Add("carme_gpu_fp16_active_ratio", sample.fp16_active);
  writer->Add("carme_gpu_dram_active_ratio", sample.dram_active);
  writer->Add("carme_gpu_pcie_sent_bytes_per_second", sample.pcie_tx);
  writer->Add("carme_gpu_pcie_received_bytes_per_second", sample.pcie_rx);
  writer->Add("carme_gpu_nvlink_sent_bytes_per_second", sample.nvlink_tx);
  writer->Add("carme_gpu_nvlink_received_bytes_per_second", sample.nvlink_rx);
  writer->Add("carme_gpu_c2c_sent_bytes_per_second", sample.c2c_tx);
  writer->Add("carme_gpu_c2c_received_bytes_per_second", sample.c2c_rx);
}

}  // namespace

void GpuUtilizationPeak::Add(double ratio) {
  absl::MutexLock lock(&mutex_);
  peak_ = std::max(peak_.value_or(0), ratio);
}

std::optional<double> GpuUtilizationPeak::Take() {
  absl::MutexLock lock(&mutex_);
  return std::exchange(peak_, std::nullopt);
}

OpeningGpuSource::OpeningGpuSource(std::string name, gpu::GpuSourceFactory open,
                                   absl::Duration open_timeout,
                                   absl::Duration sample_timeout)
    : name_(std::move(name)),
      open_timeout_(open_timeout),
      source_(gpu::DeadlineSource::Start(std::move(open), sample_timeout)) {}

bool OpeningGpuSource::IsOpen(int64_t now_ms, SampleBuffer* buffer) {
  if (state_ != State::kOpening) return state_ == State::kOpen;
  if (first_ms_ == 0) first_ms_ = now_ms;
  const auto opened = source_->WaitUntilOpen(absl::ZeroDuration());
  if (!opened) {
    if (absl::Milliseconds(now_ms - first_ms_) >= open_timeout_) {
      End(/*is_dead=*/true, now_ms, buffer);
    }
    return false;
  }
  if (!opened->ok()) {
    LogInfo("source of GPU samples not opened",
            {{"source", name_}, {"error", opened->ToString()}});
    End(/*is_dead=*/false, now_ms, buffer);
    return false;
  }
  state_ = State::kOpen;
  return true;
}

uint32_t OpeningGpuSource::Register(SampleBuffer* buffer) {
  const gpu::GpuSourceInfo info = source_->Info();
  id_ = buffer->AddSource(info.kind, info.driver_version, info.library_path);
  return *id_;
}

absl::StatusOr<gpu::GpuSample> OpeningGpuSource::Sample(int index,
                                                        int64_t now_ms,
                                                        SampleBuffer* buffer) {
  auto sample = source_->Sample(index);
  if (source_->is_dead()) End(/*is_dead=*/true, now_ms, buffer);
  return sample;
}

void OpeningGpuSource::End(bool is_dead, int64_t now_ms, SampleBuffer* buffer) {
  state_ = State::kEnded;
  // A source that opens after all is closed at once.
  source_.reset();
  if (!is_dead) return;
  if (!id_) id_ = buffer->AddSource(name_, "", "");
  buffer->SetDead(*id_, now_ms);
}

GpuMetricSource::GpuMetricSource(Options options)
    : options_(std::move(options)),
      first_("gpu", options_.open, options_.open_timeout,
             options_.sample_timeout) {}

void GpuMetricSource::OpenDevices(int64_t now_ms, SampleBuffer* buffer) {
  const std::vector<gpu::GpuDevice> devices =
      gpu::SelectJobDevices(first_.Devices(), options_.environment);
  if (devices.empty()) return first_.End(/*is_dead=*/false, now_ms, buffer);
  const uint32_t source = first_.Register(buffer);
  first_id_ = source;
  std::vector<std::string> without_activity;
  for (const gpu::GpuDevice& device : devices) {
    const std::string label = absl::StrCat(device.minor.value_or(device.index));
    Labels labels = {{"gpu", label}};
    if (!device.uuid.empty()) labels["uuid"] = device.uuid;
    if (!device.name.empty()) labels["model"] = device.name;
    if (!device.has_profiling && !device.uuid.empty()) {
      without_activity.push_back(device.uuid);
    }
    devices_.push_back({device, label, labels, SeriesSet(source, labels)});
  }
  const gpu::GpuSourceInfo info = first_.Info();
  LogInfo("sampling GPUs", {{"count", devices.size()},
                            {"source", info.kind},
                            {"driver", info.driver_version},
                            {"library", info.library_path}});
  if (options_.open_second == nullptr || without_activity.empty()) return;
  second_ = std::make_unique<OpeningGpuSource>(
      options_.second_name,
      [open = options_.open_second, uuids = std::move(without_activity)] {
        return open(uuids);
      },
      options_.open_timeout, options_.sample_timeout);
}

void GpuMetricSource::AddSecondSeries(SampleBuffer* buffer) {
  has_second_series_ = true;
  const uint32_t source = second_->Register(buffer);
  size_t count = 0;
  for (const gpu::GpuDevice& found : second_->Devices()) {
    const auto device = std::find_if(
        devices_.begin(), devices_.end(),
        [&](const Device& one) { return one.facts.uuid == found.uuid; });
    if (device == devices_.end()) continue;
    device->second_index = found.index;
    device->second_series.emplace(source, device->labels);
    ++count;
  }
  const gpu::GpuSourceInfo info = second_->Info();
  LogInfo("sampling activity of GPUs", {{"count", count},
                                        {"source", info.kind},
                                        {"version", info.driver_version},
                                        {"library", info.library_path}});
}

void GpuMetricSource::Sample(int64_t now_ms, SampleBuffer* buffer) {
  if (first_.IsOpen(now_ms, buffer) && devices_.empty()) {
    OpenDevices(now_ms, buffer);
  }
  if (devices_.empty()) return;
  if (second_ != nullptr && second_->IsOpen(now_ms, buffer) &&
      !has_second_series_) {
    AddSecondSeries(buffer);
  }
  for (Device& device : devices_) {
    if (first_.IsOpen(now_ms, buffer)) SampleFirst(now_ms, &device, buffer);
    if (device.second_index && second_->IsOpen(now_ms, buffer)) {
      SampleSecond(now_ms, &device, buffer);
    }
  }
}

void GpuMetricSource::SampleFirst(int64_t now_ms, Device* device,
                                  SampleBuffer* buffer) {
  const auto sample = first_.Sample(device->facts.index, now_ms, buffer);
  if (!sample.ok()) {
    if (first_.IsOpen(now_ms, buffer) &&
        !std::exchange(device->is_lost, true)) {
      buffer->AddEvent(now_ms, "gpu_lost",
                       absl::StrCat("GPU ", device->label, ": ",
                                    std::string(sample.status().message())),
                       {{"gpu", device->label}});
    }
    return;
  }
  device->is_lost = false;
  SampleWriter writer(SeriesOwner::kFirst, &device->owners, &device->series,
                      now_ms, buffer);
  AddValues(*sample, device->facts.power_limit_w, &writer);
  if (options_.peak != nullptr && sample->gpu_util_percent) {
    options_.peak->Add(static_cast<double>(*sample->gpu_util_percent) / 100);
  }
  if (sample->processes) AddRanks(*sample->processes, now_ms, device, buffer);
  for (const uint64_t xid : sample->xids) {
    buffer->AddEvent(now_ms, "xid",
                     absl::StrCat("GPU ", device->label,
                                  ": the driver reports error Xid ", xid),
                     {{"gpu", device->label}, {"code", absl::StrCat(xid)}});
  }
}

void GpuMetricSource::AddRanks(const std::vector<int64_t>& pids, int64_t now_ms,
                               Device* device, SampleBuffer* buffer) {
  if (ranks_ == nullptr) return;
  std::set<std::pair<std::string, std::string>> found;
  for (const int64_t pid : pids) {
    const StepRank* const rank = ranks_->Find(static_cast<pid_t>(pid));
    if (rank != nullptr) found.emplace(rank->step, rank->rank);
  }
  for (auto known = device->ranks.begin(); known != device->ranks.end();) {
    if (found.contains(known->first)) {
      ++known;
      continue;
    }
    known->second.End(buffer);
    known = device->ranks.erase(known);
  }
  for (const auto& key : found) {
    auto known = device->ranks.find(key);
    if (known == device->ranks.end()) {
      if (device->ranks.size() >= kMaxRanks) continue;
      Labels labels = {{"gpu", device->label}, {"rank", key.second}};
      if (!key.first.empty()) labels["step"] = key.first;
      known =
          device->ranks.emplace(key, SeriesSet(first_id_, std::move(labels)))
              .first;
    }
    known->second.Add(buffer, now_ms, 0, "carme_gpu_rank_info", 1.0);
  }
}

void GpuMetricSource::SampleSecond(int64_t now_ms, Device* device,
                                   SampleBuffer* buffer) {
  const auto sample = second_->Sample(*device->second_index, now_ms, buffer);
  if (!sample.ok()) {
    // Its error is that of all GPUs: the connection is lost.
    return second_->End(/*is_dead=*/true, now_ms, buffer);
  }
  SampleWriter writer(SeriesOwner::kSecond, &device->owners,
                      &*device->second_series, now_ms, buffer);
  AddValues(*sample, std::nullopt, &writer);
}

std::vector<TimedSource> GpuSources(const std::vector<std::string>& variables,
                                    absl::Duration interval,
                                    const std::string& dcgm_host_engine,
                                    std::shared_ptr<GpuUtilizationPeak> peak) {
  gpu::Environment environment =
      [variables](std::string_view name) -> std::optional<std::string> {
    for (const std::string& entry : variables) {
      const std::string_view text = entry;
      if (text.size() > name.size() && text[name.size()] == '=' &&
          text.starts_with(name)) {
        return entry.substr(name.size() + 1);
      }
    }
    return std::nullopt;
  };
  std::vector<TimedSource> sources;
  if (!gpu::MayHaveDevices(environment)) return sources;
  GpuMetricSource::Options options;
  options.environment = std::move(environment);
  options.peak = std::move(peak);
  if (!dcgm_host_engine.empty()) {
    options.second_name = "dcgm";
    options.open_second = [dcgm =
                               gpu::DcgmOptions{.host_engine = dcgm_host_engine,
                                                .interval = interval}](
                              const std::vector<std::string>& uuids) {
      return gpu::OpenDcgm(dcgm, uuids);
    };
  }
  sources.push_back(
      {std::make_unique<GpuMetricSource>(std::move(options)), interval});
  return sources;
}

}  // namespace carme::sampler
