// How a job ended, in words: of what Slurm says about one that is over.
#ifndef CARME_BACKEND_JOBS_JOB_ENDING_H_
#define CARME_BACKEND_JOBS_JOB_ENDING_H_

#include <string>

#include "backend/jobs/job.h"
#include "backend/slurm/snapshot.h"

namespace carme {

struct JobEnding {
  JobEnd end = JobEnd::kUnknown;
  std::string reason;  // one sentence, with what to do; may be empty
};

// Pure. `job` as it was before. REQUIRES: a state of `slurm` that is an end.
JobEnding EndingOf(const Job& job, const SlurmJob& slurm);

}  // namespace carme

#endif  // CARME_BACKEND_JOBS_JOB_ENDING_H_
