#include "backend/metrics/archive/reduction.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/match.h"

namespace carme::metrics {
namespace {

constexpr int64_t kHour_s = 3600;
// 160 MB of values before the compression.
constexpr int64_t kMaxValues = 20'000'000;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

bool IsCounter(std::string_view name) {
  return absl::EndsWith(absl::string_view(name.data(), name.size()), "_total");
}

int64_t ArchiveStep_s(int64_t length_s, int64_t series) {
  int64_t step_s = length_s <= kHour_s ? 1 : length_s <= 12 * kHour_s ? 10 : 60;
  while (length_s / step_s * series > kMaxValues) {
    const int64_t coarser_s = CoarserStep_s(step_s);
    if (coarser_s == 0) break;
    step_s = coarser_s;
  }
  return step_s;
}

int64_t CoarserStep_s(int64_t step_s) {
  for (const int64_t other_s : kArchiveSteps_s) {
    if (other_s > step_s) return other_s;
  }
  return 0;
}

std::vector<double> Resample(const archive::v1::Resolution& from,
                             bool is_counter, int64_t first_ms, int64_t step_s,
                             int64_t points) {
  std::vector<double> values(static_cast<size_t>(std::max<int64_t>(points, 0)),
                             kNaN);
  std::vector<int32_t> counts(values.size(), 0);
  const int64_t step_ms = step_s * 1000;
  const int64_t from_step_ms = int64_t{from.step_s()} * 1000;
  if (step_ms <= 0 || from_step_ms <= 0) return values;
  int64_t at_ms = from.first_ms();
  for (const double value : from.values()) {
    const int64_t offset_ms = at_ms - first_ms;
    at_ms += from_step_ms;
    if (std::isnan(value) || offset_ms <= -step_ms) continue;
    // The point whose time is not before the value's.
    const int64_t index =
        offset_ms <= 0 ? 0 : (offset_ms + step_ms - 1) / step_ms;
    if (index >= points) break;
    const auto place = static_cast<size_t>(index);
    if (is_counter || counts[place] == 0) {
      values[place] = value;
    } else {
      values[place] += value;
    }
    ++counts[place];
  }
  if (!is_counter) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (counts[i] > 1) values[i] /= counts[i];
    }
  }
  // A finer grid than the archive's: a value is for the time since the one
  // before.
  if (step_ms < from_step_ms) {
    const int64_t reach = from_step_ms / step_ms;
    int64_t missing = 0;
    for (int64_t i = points - 1; i >= 0; --i) {
      const auto place = static_cast<size_t>(i);
      if (counts[place] > 0) {
        missing = reach - 1;
      } else if (missing > 0) {
        values[place] = values[place + 1];
        --missing;
      }
    }
  }
  return values;
}

void Coarsen(int64_t step_s, archive::v1::JobArchive* archive) {
  for (archive::v1::ArchivedSeries& series : *archive->mutable_series()) {
    if (series.resolutions().empty()) continue;
    const archive::v1::Resolution fine = series.resolutions(0);
    if (fine.step_s() >= step_s) continue;
    const int64_t length_ms =
        int64_t{fine.step_s()} * 1000 * std::max(fine.values_size() - 1, 0);
    const int64_t step_ms = step_s * 1000;
    const int64_t points = (length_ms + step_ms - 1) / step_ms + 1;
    const std::vector<double> values = Resample(
        fine, IsCounter(series.name()), fine.first_ms(), step_s, points);
    archive::v1::Resolution* coarse = series.mutable_resolutions(0);
    coarse->set_step_s(static_cast<uint32_t>(step_s));
    *coarse->mutable_values() = {values.begin(), values.end()};
  }
}

}  // namespace carme::metrics
