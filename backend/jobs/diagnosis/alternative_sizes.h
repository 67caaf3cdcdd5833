// Smaller and shorter variants of a job, the most similar first.
#ifndef CARME_BACKEND_JOBS_DIAGNOSIS_ALTERNATIVE_SIZES_H_
#define CARME_BACKEND_JOBS_DIAGNOSIS_ALTERNATIVE_SIZES_H_

#include <string>
#include <vector>

#include "backend/policy/spec/job_spec.h"
#include "common/display_text.h"

namespace carme::backend {

struct AlternativeSize {
  JobSpec spec;       // like `asked`, so that defaults follow its size
  DisplayText label;  // "With 1 GPU instead of 2"
};

// Fewer GPUs, then fewer nodes, then less time: at most eight, each differing
// from `filled` in one number. `filled` is `asked` with its defaults. Pure.
std::vector<AlternativeSize> AlternativeSizes(const JobSpec& asked,
                                              const JobSpec& filled);

// "45 min", "2 h 30 min", "3 d 4 h": rounded for display.
std::string RoughTime(absl::Duration time);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_DIAGNOSIS_ALTERNATIVE_SIZES_H_
