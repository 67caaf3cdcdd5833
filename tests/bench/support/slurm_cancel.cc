#include "tests/bench/support/slurm_cancel.h"

#include <signal.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/time/clock.h"
#include "backend/slurm/libslurm/libslurm.h"

namespace carme {
namespace {

[[noreturn]] void Refused(const char* what, uint32_t slurm_job) {
  std::fprintf(stderr, "bench: %s job %u: %s\n", what, slurm_job,
               SlurmErrorText(SlurmErrno()).c_str());
  std::_Exit(1);
}

}  // namespace

absl::Time CancelInSlurm(uint32_t slurm_job) {
  const absl::Time start = absl::Now();
  const std::string id = std::to_string(slurm_job);
  if (slurm_kill_job2(id.c_str(), SIGKILL, 0, nullptr) == SLURM_SUCCESS) {
    return start;
  }
  Refused("cancel", slurm_job);
}

void SetTimeLimitInSlurm(uint32_t slurm_job, uint32_t minutes) {
  std::string id = std::to_string(slurm_job);
  job_desc_msg_t change;
  slurm_init_job_desc_msg(&change);
  change.job_id_str = id.data();
  change.time_limit = minutes;
  job_array_resp_msg_t* errors = nullptr;
  if (slurm_update_job2(&change, &errors) != SLURM_SUCCESS) {
    Refused("change", slurm_job);
  }
}

}  // namespace carme
