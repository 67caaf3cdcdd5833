// What a job may ask to be told of it. A pure function.
#ifndef CARME_BACKEND_POLICY_CHECKS_NOTIFY_H_
#define CARME_BACKEND_POLICY_CHECKS_NOTIFY_H_

#include <vector>

#include "backend/policy/spec/job_spec.h"
#include "backend/policy/spec/violation.h"

namespace carme::backend {

// At most one violation: each of carme.v1.JobEvent's numbers at most once, and
// none for a job that joins another one or makes an image.
std::vector<Violation> CheckNotify(const JobSpec& spec);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_CHECKS_NOTIFY_H_
