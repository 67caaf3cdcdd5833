// Resolves the dependencies of a batch job to Slurm jobs.
#ifndef CARME_BACKEND_JOBS_SUBMISSION_DEPENDENCIES_H_
#define CARME_BACKEND_JOBS_SUBMISSION_DEPENDENCIES_H_

#include <vector>

#include "backend/identity/session.h"
#include "backend/jobs/lifecycle/active_jobs.h"
#include "backend/policy/checks/batch.h"
#include "backend/policy/spec/job_spec.h"
#include "backend/slurm/snapshot.h"

namespace carme::backend {

// In the order of the spec's dependencies. A job resolves if it is active, or
// has ended and is still in the snapshot. A job of another user does not
// resolve.
std::vector<ResolvedDependency> ResolveDependencies(
    const Session& caller, const JobSpec& spec, ActiveJobs& active,
    const SlurmSnapshot& cluster);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_SUBMISSION_DEPENDENCIES_H_
