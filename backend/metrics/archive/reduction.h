// Reduces series to fewer points. Pure.
#ifndef CARME_BACKEND_METRICS_ARCHIVE_REDUCTION_H_
#define CARME_BACKEND_METRICS_ARCHIVE_REDUCTION_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "carme/archive/v1/archive.pb.h"

namespace carme::metrics {

// The steps of archives, in seconds.
inline constexpr int64_t kArchiveSteps_s[] = {1, 10, 60, 600, 3600};

// Whether the values of a series grow, and are no measure of a moment.
bool IsCounter(std::string_view name);

// The step for a job of this length with that many series.
int64_t ArchiveStep_s(int64_t length_s, int64_t series);
// The next larger step; 0: there is none.
int64_t CoarserStep_s(int64_t step_s);

// The values at `first_ms`, `first_ms` + `step_s`, …, of which each is for the
// time since the point before: the last value of a counter, the mean of others.
// NaN: none.
std::vector<double> Resample(const archive::v1::Resolution& from,
                             bool is_counter, int64_t first_ms, int64_t step_s,
                             int64_t points);

// Reduces all series to that step.
void Coarsen(int64_t step_s, archive::v1::JobArchive* archive);

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_ARCHIVE_REDUCTION_H_
