#include "slurm-hooks/gssr/interval.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace carme::gssr {
namespace {

using gpu::GpuSample;

// Where a field of kRecordingFields is in a sample; the energy is apart.
struct Column {
  std::optional<int64_t> GpuSample::*integer = nullptr;
  std::optional<double> GpuSample::*real = nullptr;
};

constexpr Column kColumns[] = {{&GpuSample::gpu_util_percent},
                               {&GpuSample::memory_free_mib},
                               {&GpuSample::memory_used_mib},
                               {&GpuSample::memory_reserved_mib},
                               {nullptr, &GpuSample::sm_active},
                               {nullptr, &GpuSample::sm_occupancy},
                               {nullptr, &GpuSample::tensor_active},
                               {nullptr, &GpuSample::imma_active},
                               {nullptr, &GpuSample::hmma_active},
                               {nullptr, &GpuSample::dfma_active},
                               {nullptr, &GpuSample::int_active},
                               {nullptr, &GpuSample::fp64_active},
                               {nullptr, &GpuSample::fp32_active},
                               {nullptr, &GpuSample::fp16_active},
                               {nullptr, &GpuSample::dram_active},
                               {&GpuSample::pcie_tx},
                               {&GpuSample::pcie_rx},
                               {&GpuSample::nvlink_rx},
                               {&GpuSample::nvlink_tx},
                               {&GpuSample::c2c_tx},
                               {&GpuSample::c2c_rx},
                               {},  // the energy
                               {nullptr, &GpuSample::power_w}};
static_assert(std::size(kColumns) == kColumnCount);

constexpr bool AreOfFields() {
  for (size_t i = 0; i < kColumnCount; ++i) {
    const RecordingField& field = kRecordingFields[i];
    if (field.is_difference !=
        (kColumns[i].integer == nullptr && kColumns[i].real == nullptr)) {
      return false;
    }
    if (!field.is_difference &&
        field.is_whole != (kColumns[i].integer != nullptr)) {
      return false;
    }
  }
  return true;
}
static_assert(AreOfFields());

}  // namespace

std::string CsvHeader() {
  std::string line = "timestamp,gpuId";
  for (const RecordingField& field : kRecordingFields) {
    absl::StrAppend(&line, ",", field.column, "_min,", field.column, "_avg,",
                    field.column, "_max");
  }
  return line + "\n";
}

void Interval::Add(const GpuSample& sample) {
  for (size_t i = 0; i < kColumnCount; ++i) {
    std::optional<double> value;
    if (kColumns[i].integer != nullptr) {
      if (const auto& integer = sample.*kColumns[i].integer) {
        value = static_cast<double>(*integer);
      }
    } else if (kColumns[i].real != nullptr) {
      value = sample.*kColumns[i].real;
    }
    if (!value) continue;
    Summary& summary = summaries_[i];
    summary.min = summary.count == 0 ? *value : std::min(summary.min, *value);
    summary.max = summary.count == 0 ? *value : std::max(summary.max, *value);
    summary.sum += *value;
    ++summary.count;
  }
  if (!sample.energy_mj) return;
  if (!energy_) energy_ = Energy{*sample.energy_mj, *sample.energy_mj};
  if (!gpu::CounterIncrease(energy_->last, *sample.energy_mj)) {
    energy_->was_reset = true;
  }
  energy_->last = *sample.energy_mj;
}

void Interval::AppendEnergy(std::string* line) const {
  if (!energy_) {
    *line += ",,,";
  } else if (energy_->was_reset) {
    absl::StrAppend(line, ",,,", energy_->last);
  } else {
    absl::StrAppend(line, ",", energy_->first, ",",
                    energy_->last - energy_->first, ",", energy_->last);
  }
}

std::string Interval::TakeCsvLine(int seconds, int gpu_id) {
  std::string line = absl::StrCat(seconds, ",", gpu_id);
  for (size_t i = 0; i < kColumnCount; ++i) {
    if (kRecordingFields[i].is_difference) {
      AppendEnergy(&line);
      continue;
    }
    const Summary& summary = summaries_[i];
    const double mean = summary.sum / static_cast<double>(summary.count);
    if (summary.count == 0) {
      line += ",,,";
    } else if (kColumns[i].integer != nullptr) {
      absl::StrAppend(&line, ",", std::llround(summary.min), ",",
                      std::llround(mean), ",", std::llround(summary.max));
    } else {
      absl::StrAppendFormat(&line, ",%.2f,%.2f,%.2f", summary.min, mean,
                            summary.max);
    }
  }
  summaries_ = {};
  // The next interval begins where this ended: no energy is lost between.
  if (energy_) energy_ = Energy{energy_->last, energy_->last};
  return line + "\n";
}

}  // namespace carme::gssr
