#include "slurm-hooks/gssr/interval.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace carme::gssr {
namespace {

using gpu::GpuSample;

struct Column {
  const char* name;
  std::optional<int64_t> GpuSample::*integer = nullptr;
  std::optional<double> GpuSample::*real = nullptr;
};

constexpr Column kColumns[] = {
    {"DCGM_FI_DEV_GPU_UTIL", &GpuSample::gpu_util_percent},
    {"DCGM_FI_DEV_FB_FREE", &GpuSample::memory_free_mib},
    {"DCGM_FI_DEV_FB_USED", &GpuSample::memory_used_mib},
    {"DCGM_FI_DEV_FB_RESERVED", &GpuSample::memory_reserved_mib},
    {"DCGM_FI_PROF_SM_ACTIVE", nullptr, &GpuSample::sm_active},
    {"DCGM_FI_PROF_SM_OCCUPANCY", nullptr, &GpuSample::sm_occupancy},
    {"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", nullptr, &GpuSample::tensor_active},
    {"DCGM_FI_PROF_PIPE_TENSOR_IMMA_ACTIVE", nullptr, &GpuSample::imma_active},
    {"DCGM_FI_PROF_PIPE_TENSOR_HMMA_ACTIVE", nullptr, &GpuSample::hmma_active},
    {"DCGM_FI_PROF_PIPE_TENSOR_DFMA_ACTIVE", nullptr, &GpuSample::dfma_active},
    {"DCGM_FI_PROF_PIPE_INT_ACTIVE", nullptr, &GpuSample::int_active},
    {"DCGM_FI_PROF_PIPE_FP64_ACTIVE", nullptr, &GpuSample::fp64_active},
    {"DCGM_FI_PROF_PIPE_FP32_ACTIVE", nullptr, &GpuSample::fp32_active},
    {"DCGM_FI_PROF_PIPE_FP16_ACTIVE", nullptr, &GpuSample::fp16_active},
    {"DCGM_FI_PROF_DRAM_ACTIVE", nullptr, &GpuSample::dram_active},
    {"DCGM_FI_PROF_PCIE_TX_BYTES", &GpuSample::pcie_tx},
    {"DCGM_FI_PROF_PCIE_RX_BYTES", &GpuSample::pcie_rx},
    {"DCGM_FI_PROF_NVLINK_RX_BYTES", &GpuSample::nvlink_rx},
    {"DCGM_FI_PROF_NVLINK_TX_BYTES", &GpuSample::nvlink_tx},
    {"DCGM_FI_PROF_C2C_TX_ALL_BYTES", &GpuSample::c2c_tx},
    {"DCGM_FI_PROF_C2C_RX_ALL_BYTES", &GpuSample::c2c_rx},
    {"DCGM_FI_DEV_POWER_USAGE", nullptr, &GpuSample::power_w}};
static_assert(std::size(kColumns) == kColumnCount);
constexpr char kEnergy[] = "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION";

void AppendNames(const char* name, std::string* line) {
  absl::StrAppend(line, ",", name, "_min,", name, "_avg,", name, "_max");
}

}  // namespace

std::string CsvHeader() {
  std::string line = "timestamp,gpuId";
  for (const Column& column : kColumns) {
    // The energy is before the power.
    if (column.real == &GpuSample::power_w) AppendNames(kEnergy, &line);
    AppendNames(column.name, &line);
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
    } else {
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

std::string Interval::TakeCsvLine(int seconds, int gpu_id) {
  std::string line = absl::StrCat(seconds, ",", gpu_id);
  for (size_t i = 0; i < kColumnCount; ++i) {
    if (kColumns[i].real == &GpuSample::power_w) {
      if (!energy_) {
        line += ",,,";
      } else if (energy_->was_reset) {
        absl::StrAppend(&line, ",,,", energy_->last);
      } else {
        absl::StrAppend(&line, ",", energy_->first, ",",
                        energy_->last - energy_->first, ",", energy_->last);
      }
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
