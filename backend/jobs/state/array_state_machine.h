// The states of an array, as a pure function of what Slurm was seen to say of
// its tasks. One job here is one array there; Slurm has a record of each task
// that has started or ended, and one for all that wait.
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

namespace carme::backend {

// What tasks' agents said of their ends.
using TaskEndDetails = std::map<uint32_t, std::string>;

// Of a spec that is an array; nothing of another.
std::optional<JobArray> NewArray(const JobSpec& spec);

// The job after a look at its records; sighting.slurm is not asked. An end that
// was seen stays, also when Slurm has forgotten it; a task that Slurm does not
// have and whose end was not seen has ended nobody knows how. The array has
// ended when all its tasks have; it failed if one of them did.
// REQUIRES: IsArray(job).
Job NextArrayState(const Job& job, const std::vector<const SlurmJob*>& records,
                const Observation& sighting, const TaskEndDetails& words);

// Whose failure is told; nothing: none was seen.
std::optional<uint32_t> FirstFailedTask(const JobArray& array);

// The array's rows in the table, as one text. INTERNAL: not readable.
std::string SerializeArray(const std::optional<JobArray>& array);
absl::StatusOr<std::optional<JobArray>> ParseJobArray(std::string_view text);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_STATE_ARRAY_STATE_MACHINE_H_
