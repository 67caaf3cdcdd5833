// Durations in sentences about jobs.
#ifndef CARME_BACKEND_JOBS_MODEL_JOB_TIME_H_
#define CARME_BACKEND_JOBS_MODEL_JOB_TIME_H_

#include <cstdint>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"

namespace carme::backend {

// "2 d 3 h", "1 h 30 min", "45 min", "20 s": seconds only below a minute.
inline std::string DurationText(absl::Duration time) {
  const int64_t minutes = absl::ToInt64Minutes(time);
  if (minutes <= 0) {
    const int64_t seconds = absl::ToInt64Seconds(time);
    return absl::StrCat(seconds > 0 ? seconds : 0, " s");
  }
  const int64_t days = minutes / (24 * 60), hours = minutes / 60 % 24;
  std::string text;
  const auto add = [&](int64_t count, const char* unit) {
    if (count == 0) return;
    absl::StrAppend(&text, text.empty() ? "" : " ", count, " ", unit);
  };
  add(days, "d");
  add(hours, "h");
  add(minutes % 60, "min");
  return text;
}

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_MODEL_JOB_TIME_H_
