// The states of several jobs in one request to slurmctld: with libslurm 23.11
// or newer. slurmctld needs no lock for it if slurm.conf has
// SlurmctldParameters=enable_job_state_cache.
#ifndef CARME_BACKEND_SLURM_LIBSLURM_JOB_STATES_H_
#define CARME_BACKEND_SLURM_LIBSLURM_JOB_STATES_H_

#include <cstdint>
#include <map>
#include <vector>

#include "absl/status/statusor.h"

namespace carme {

struct JobStateRecord {
  uint32_t array = 0;  // the id of its array; 0: none
  uint32_t state = 0;  // as in slurm_job_info_t
};

// By Slurm's job id: these jobs, and all tasks of those that are arrays. Jobs
// that Slurm does not have are left out. Blocks for up to MessageTimeout of
// slurm.conf. UNIMPLEMENTED: an earlier libslurm. UNAVAILABLE. REQUIRES:
// InitSlurm() or SlurmQuery.
absl::StatusOr<std::map<uint32_t, JobStateRecord>> LoadJobStates(
    const std::vector<uint32_t>& jobs);

}  // namespace carme

#endif  // CARME_BACKEND_SLURM_LIBSLURM_JOB_STATES_H_
