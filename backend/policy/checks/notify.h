// Checks the events of which a job's user wants to be notified. Pure.
#ifndef CARME_BACKEND_POLICY_CHECKS_NOTIFY_H_
#define CARME_BACKEND_POLICY_CHECKS_NOTIFY_H_

#include <vector>

#include "backend/policy/spec/job_spec.h"
#include "backend/policy/spec/violation.h"

namespace carme::backend {

// At most one violation. Allows each number of carme.v1.JobEvent once, and none
// for a job that adds nodes to another one or builds an image.
std::vector<Violation> CheckNotify(const JobSpec& spec);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_CHECKS_NOTIFY_H_
