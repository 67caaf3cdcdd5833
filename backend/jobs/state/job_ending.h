// How a job ended, in words: of what Slurm says about one that is over.
#ifndef CARME_BACKEND_JOBS_STATE_JOB_ENDING_H_
#define CARME_BACKEND_JOBS_STATE_JOB_ENDING_H_

#include <string>

#include "backend/jobs/model/job.h"
#include "backend/slurm/snapshot.h"

namespace carme::backend {

// How the reason of a job begins that slurmd could not start: mostly because
// its log could not be opened, which last_words.h looks into.
inline constexpr char kLaunchFailure[] =
    "Slurm could not start it on its nodes";

struct JobEnding {
  JobEnd end = JobEnd::kUnknown;
  std::string reason;  // one sentence, with what to do; may be empty
  JobStoppedBy stopped_by = JobStoppedBy::kNotReported;  // of kStopped
};

// Whether only Slurm's accounting can say who cancelled the job.
bool IsStopperUnknown(const Job& ended);

// Pure. `job` as it was before. REQUIRES: a state of `slurm` that is an end.
JobEnding EndingOf(const Job& job, const SlurmJob& slurm);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_STATE_JOB_ENDING_H_
