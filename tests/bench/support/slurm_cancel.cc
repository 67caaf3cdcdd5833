#include "tests/bench/support/slurm_cancel.h"

#include <signal.h>

#include <cstdio>
#include <cstdlib>

#include "absl/time/clock.h"
#include "backend/slurm/libslurm/libslurm.h"

namespace carme {
namespace {

[[noreturn]] void Refused(const char* what, uint32_t slurm_job) {
  std::fprintf(stderr, "bench: %s job %u: %s\n", what, slurm_job,
               SlurmErrorText(slurm_get_errno()).c_str());
  std::_Exit(1);
}

}  // namespace

absl::Time CancelInSlurm(uint32_t slurm_job) {
  const absl::Time start = absl::Now();
  if (slurm_kill_job(slurm_job, SIGKILL, 0) == SLURM_SUCCESS) return start;
  Refused("cancel", slurm_job);
}

void SetTimeLimitInSlurm(uint32_t slurm_job, uint32_t minutes) {
  job_desc_msg_t change;
  slurm_init_job_desc_msg(&change);
  change.job_id = slurm_job;
  change.time_limit = minutes;
  if (slurm_update_job(&change) != SLURM_SUCCESS) Refused("change", slurm_job);
}

}  // namespace carme
