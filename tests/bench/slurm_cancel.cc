#include "tests/bench/slurm_cancel.h"

#include <signal.h>

#include <cstdio>
#include <cstdlib>

#include "absl/time/clock.h"
#include "backend/slurm/libslurm.h"

namespace carme {

absl::Time CancelInSlurm(uint32_t slurm_job) {
  const absl::Time start = absl::Now();
  if (slurm_kill_job(slurm_job, SIGKILL, 0) == SLURM_SUCCESS) return start;
  std::fprintf(stderr, "bench: cancel job %u: %s\n", slurm_job,
               SlurmErrorText(slurm_get_errno()).c_str());
  std::_Exit(1);
}

}  // namespace carme
