// Smaller and shorter shapes of a job, the nearest first.
#ifndef CARME_BACKEND_JOBS_DIAGNOSIS_ALTERNATIVE_SIZES_H_
#define CARME_BACKEND_JOBS_DIAGNOSIS_ALTERNATIVE_SIZES_H_

#include <string>
#include <vector>

#include "backend/policy/spec/job_spec.h"

namespace carme::backend {

struct AlternativeSize {
  JobSpec spec;       // as `asked`, so that its defaults follow its size
  std::string words;  // "With 1 GPU instead of 2"
};

// Fewer GPUs, then fewer nodes, then less time: at most eight, each different
// from `filled` in one number. `filled` is `asked` with its defaults. Pure.
std::vector<AlternativeSize> AlternativeSizes(const JobSpec& asked,
                                        const JobSpec& filled);

// "45 min", "2 h 30 min", "3 d 4 h": as short as it is still true.
std::string RoughTime(absl::Duration time);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_DIAGNOSIS_ALTERNATIVE_SIZES_H_
