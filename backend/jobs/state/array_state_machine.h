// The state machine of a job array, as a pure function of what Slurm reports
// about its tasks. Slurm has a record of each task that has started or ended,
// and one for all pending tasks.
#ifndef CARME_BACKEND_JOBS_STATE_ARRAY_STATE_MACHINE_H_
#define CARME_BACKEND_JOBS_STATE_ARRAY_STATE_MACHINE_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "backend/jobs/model/job.h"
#include "backend/jobs/state/job_state_machine.h"
#include "backend/slurm/snapshot.h"
#include "common/display_text.h"

namespace carme::backend {

// The agents' reports about the ends of tasks.
using TaskEndDetails = std::map<uint32_t, DisplayText>;

// Nothing: the spec is not an array.
std::optional<JobArray> NewArray(const JobSpec& spec);

// The array after an observation of its records; observation.slurm is not used.
// An observed end stays, also when Slurm has removed it; a task that Slurm does
// not have and whose end was not observed has ended in an unknown way. The
// array has ended when all its tasks have; it failed if one of them did.
// REQUIRES: IsArray(job).
Job NextArrayState(const Job& job, const std::vector<const SlurmJob*>& records,
                   const Observation& observation,
                   const TaskEndDetails& end_details);

// The task of the first observed failure; nothing: there is none.
std::optional<uint32_t> FirstFailedTask(const JobArray& array);

// The tasks as stored in the database. INTERNAL: invalid text.
std::string SerializeArray(const std::optional<JobArray>& array);
absl::StatusOr<std::optional<JobArray>> ParseJobArray(std::string_view text);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_STATE_ARRAY_STATE_MACHINE_H_
