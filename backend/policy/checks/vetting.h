// Checks how many of a job's nodes must be healthy. Pure.
#ifndef CARME_BACKEND_POLICY_CHECKS_VETTING_H_
#define CARME_BACKEND_POLICY_CHECKS_VETTING_H_

#include <vector>

#include "backend/policy/spec/job_spec.h"
#include "backend/policy/spec/violation.h"

namespace carme::backend {

// At most one violation. Fills in the default. Nodes are not vetted for a job
// that adds nodes to another one or builds an image.
// REQUIRES: spec->nodes is not 0.
std::vector<Violation> ChooseRequiredNodes(JobSpec* spec);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_CHECKS_VETTING_H_
