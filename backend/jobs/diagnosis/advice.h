// Advice for the user of a failed job. Pure.
#ifndef CARME_BACKEND_JOBS_DIAGNOSIS_ADVICE_H_
#define CARME_BACKEND_JOBS_DIAGNOSIS_ADVICE_H_

#include <string_view>

#include "backend/jobs/model/job.h"
#include "common/display_text.h"

namespace carme::backend {

// One sentence; empty if there is no reliable advice. `last_lines`: the end of
// the job's log, which is quoted and never overrides what Slurm reports.
// REQUIRES: the job has ended.
DisplayText AdviceFor(const Job& job, std::string_view last_lines);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_DIAGNOSIS_ADVICE_H_
