// Checks the files to copy to and from a job's scratch directory. Pure.
#ifndef CARME_BACKEND_POLICY_CHECKS_STAGING_H_
#define CARME_BACKEND_POLICY_CHECKS_STAGING_H_

#include <vector>

#include "backend/policy/spec/job_spec.h"
#include "backend/policy/spec/violation.h"

namespace carme::backend {

// At most one violation per list. Whether a path exists is checked in the job,
// as its user.
std::vector<Violation> CheckStage(const JobSpec& spec);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_CHECKS_STAGING_H_
