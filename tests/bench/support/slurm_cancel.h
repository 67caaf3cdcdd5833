// What happens to a job behind Carme's back.
#ifndef CARME_TESTS_BENCH_SUPPORT_SLURM_CANCEL_H_
#define CARME_TESTS_BENCH_SUPPORT_SLURM_CANCEL_H_

#include <cstdint>

#include "absl/time/time.h"

namespace carme {

// As scancel does it, by the caller's user; the time before. Ends the process
// where Slurm refuses. REQUIRES: slurm_init().
absl::Time CancelInSlurm(uint32_t slurm_job);

// As `scontrol update job TimeLimit` does it.
void SetTimeLimitInSlurm(uint32_t slurm_job, uint32_t minutes);

}  // namespace carme

#endif  // CARME_TESTS_BENCH_SUPPORT_SLURM_CANCEL_H_
