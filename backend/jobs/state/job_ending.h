// How a job ended, from the record of Slurm.
#ifndef CARME_BACKEND_JOBS_STATE_JOB_ENDING_H_
#define CARME_BACKEND_JOBS_STATE_JOB_ENDING_H_

#include <string>

#include "backend/jobs/model/job.h"
#include "backend/slurm/snapshot.h"
#include "common/display_text.h"

namespace carme::backend {

struct JobEnding {
  JobEnd end = v1::JOB_END_UNKNOWN;
  DisplayText reason;  // one sentence with what to do; may be empty
  JobStoppedBy stopped_by = v1::JOB_STOPPED_BY_UNSPECIFIED;  // for kStopped
};

// Whether only Slurm's accounting knows who cancelled the job.
bool IsStopperUnknown(const Job& ended);

// Pure. `job`: before the end. REQUIRES: `slurm` has ended.
JobEnding EndingOf(const Job& job, const SlurmJob& slurm);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_STATE_JOB_ENDING_H_
