// What may help after a job has gone wrong, in words: pure.
#ifndef CARME_BACKEND_JOBS_DIAGNOSIS_ADVICE_H_
#define CARME_BACKEND_JOBS_DIAGNOSIS_ADVICE_H_

#include <string>
#include <string_view>

#include "backend/jobs/model/job.h"

namespace carme::backend {

// One sentence, or nothing where there is none that would be more than a guess.
// `last_lines` are the job's own words; what is taken from there is quoted, and
// never believed more than Slurm is. REQUIRES: the job has ended.
std::string AdviceFor(const Job& job, std::string_view last_lines);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_DIAGNOSIS_ADVICE_H_
