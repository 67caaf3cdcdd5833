// Checks the requested start time of a job. Pure.
#ifndef CARME_BACKEND_POLICY_CHECKS_START_TIME_H_
#define CARME_BACKEND_POLICY_CHECKS_START_TIME_H_

#include <vector>

#include "absl/time/time.h"
#include "backend/policy/spec/job_spec.h"
#include "backend/policy/spec/violation.h"

namespace carme::backend {

// A time that has just passed means now and is removed from the spec, because
// the user needs some time to submit. Rounds down to seconds, like Slurm.
std::vector<Violation> ChooseStartTime(absl::Time now, JobSpec* spec);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_CHECKS_START_TIME_H_
