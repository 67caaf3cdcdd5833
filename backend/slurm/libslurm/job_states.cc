#include "backend/slurm/libslurm/job_states.h"

#include <memory>

#include "backend/slurm/libslurm/libslurm.h"
#include "backend/slurm/libslurm/messages.h"
#include "common/message.h"

namespace carme {

#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 11, 0)

absl::StatusOr<std::map<uint32_t, JobStateRecord>> LoadJobStates(
    const std::vector<uint32_t>& jobs) {
  // Without ids slurmctld would return all jobs.
  if (jobs.empty()) return std::map<uint32_t, JobStateRecord>();
  std::vector<slurm_selected_step_t> selected;
  for (const uint32_t job : jobs) selected.push_back(SelectJob(job));
  job_state_response_msg_t* loaded = nullptr;
  const int error = slurm_load_job_state(static_cast<int>(selected.size()),
                                         selected.data(), &loaded);
  if (error != SLURM_SUCCESS || loaded == nullptr) {
    return MakePlainError(
        libslurm_messages::kJobStatesNotLoaded,
        {{"problem", SlurmErrorText(error > 0 ? error : SlurmErrno())}});
  }
  const std::unique_ptr<job_state_response_msg_t,
                        decltype(&slurm_free_job_state_response_msg)>
      message(loaded, slurm_free_job_state_response_msg);
  std::map<uint32_t, JobStateRecord> states;
  for (uint32_t i = 0; i < message->jobs_count; ++i) {
    const job_state_response_job_t& job = message->jobs[i];
    states[job.job_id] = {.array = job.array_job_id, .state = job.state};
  }
  return states;
}

#else

absl::StatusOr<std::map<uint32_t, JobStateRecord>> LoadJobStates(
    const std::vector<uint32_t>& /*jobs*/) {
  return MakePlainError(libslurm_messages::kJobStatesNotSupported);
}

#endif

}  // namespace carme
