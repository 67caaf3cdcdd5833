// When a job may be asked to start at the earliest: pure.
#ifndef CARME_BACKEND_POLICY_CHECKS_START_TIME_H_
#define CARME_BACKEND_POLICY_CHECKS_START_TIME_H_

#include <vector>

#include "absl/time/time.h"
#include "backend/policy/spec/job_spec.h"
#include "backend/policy/spec/violation.h"

namespace carme::backend {

// A time that has just passed means now and is left out of the spec: who types
// a time takes a while. In whole seconds, as Slurm counts.
std::vector<Violation> ChooseStartTime(absl::Time now, JobSpec* spec);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_CHECKS_START_TIME_H_
