#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "slurm-hooks/gssr/analyze/messages.h"
#include "slurm-hooks/gssr/analyze/recordings.h"

namespace carme::gssr {
namespace {

// DCGM's names that differ from those of gssr 0.3 by more than case.
constexpr std::pair<const char*, const char*> kNames[] = {
    {"gpu_util", "gpu_utilization"},
    {"fb_reserved", "fb_resv"},
    {"pipe_tensor_active", "tensor_active"},
    {"pipe_tensor_imma_active", "imma_active"},
    {"pipe_tensor_hmma_active", "hmma_active"},
    {"pipe_tensor_dfma_active", "dfma_active"},
    {"pipe_int_active", "int_active"},
    {"pipe_fp64_active", "fp64_active"},
    {"pipe_fp32_active", "fp32_active"},
    {"pipe_fp16_active", "fp16_active"},
    {"total_energy_consumption", "energy"}};

// Empty: a column of minima or maxima.
std::string MetricName(absl::string_view column) {
  std::string lower = absl::AsciiStrToLower(absl::StripAsciiWhitespace(column));
  absl::string_view name = lower;
  absl::ConsumePrefix(&name, "dcgm_fi_");
  if (!absl::ConsumePrefix(&name, "dev_")) absl::ConsumePrefix(&name, "prof_");
  absl::ConsumeSuffix(&name, "_avg");
  if (absl::EndsWith(name, "_min") || absl::EndsWith(name, "_max")) return "";
  for (const auto& [dcgm, own] : kNames) {
    if (name == dcgm) return own;
  }
  return std::string(name);
}

absl::Status Invalid(std::string error) {
  return MakePlainError(gssr_analyze_messages::kInvalidFile,
                        {{"error", error}});
}

}  // namespace

absl::StatusOr<std::vector<GpuSeries>> ParseCsv(std::string_view text) {
  const std::vector<absl::string_view> lines = absl::StrSplit(
      absl::string_view(text.data(), text.size()), '\n', absl::SkipEmpty());
  if (lines.empty()) return Invalid("the file is empty");
  std::vector<std::string> names;
  for (const absl::string_view column : absl::StrSplit(lines[0], ',')) {
    names.push_back(MetricName(column));
  }
  const auto time_at = std::find(names.begin(), names.end(), "timestamp");
  auto gpu_at = std::find(names.begin(), names.end(), "gpuid");
  if (gpu_at == names.end()) {
    gpu_at = std::find(names.begin(), names.end(), "gpu_id");
  }
  if (time_at == names.end() || gpu_at == names.end()) {
    return Invalid("the first line has no columns timestamp and gpuId");
  }
  std::map<std::string, GpuSeries> series;
  for (size_t row = 1; row < lines.size(); ++row) {
    const std::vector<absl::string_view> cells =
        absl::StrSplit(absl::StripSuffix(lines[row], "\r"), ',');
    if (cells.size() != names.size()) {
      // A recorder that was killed may leave half a line.
      if (row + 1 == lines.size()) break;
      return Invalid(absl::StrCat("line ", row + 1, " has ", cells.size(),
                                  " columns: expected ", names.size()));
    }
    RecordedSample sample;
    std::string gpu;
    for (size_t i = 0; i < cells.size(); ++i) {
      if (names.begin() + static_cast<ptrdiff_t>(i) == gpu_at) {
        gpu = std::string(cells[i]);
        continue;
      }
      double value = 0;
      if (names[i].empty() || !absl::SimpleAtod(cells[i], &value)) continue;
      if (names.begin() + static_cast<ptrdiff_t>(i) == time_at) {
        sample.time_s = value;
      } else if (!IsBlank(value)) {
        sample.values[names[i]] = value;
      }
    }
    series[gpu].gpu_id = gpu;
    series[gpu].samples.push_back(std::move(sample));
  }
  std::vector<GpuSeries> found;
  for (auto& [gpu, one] : series) found.push_back(std::move(one));
  return found;
}

}  // namespace carme::gssr
