// What may be copied to a job's scratch and from it. A pure function.
#ifndef CARME_BACKEND_POLICY_CHECKS_STAGING_H_
#define CARME_BACKEND_POLICY_CHECKS_STAGING_H_

#include <vector>

#include "backend/policy/spec/job_spec.h"
#include "backend/policy/spec/violation.h"

namespace carme::backend {

// At most one violation a list. Whether a path is there is for the job to say,
// which looks as its user.
std::vector<Violation> CheckStage(const JobSpec& spec);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_CHECKS_STAGING_H_
