// Checks the batch part of a spec. Pure functions.
#ifndef CARME_BACKEND_POLICY_CHECKS_BATCH_H_
#define CARME_BACKEND_POLICY_CHECKS_BATCH_H_

#include <optional>
#include <utility>
#include <vector>

#include "backend/policy/spec/job_spec.h"
#include "backend/policy/spec/violation.h"
#include "common/ids.h"

namespace carme::backend {

// A job that a dependency names, in its current state.
struct ResolvedDependency {
  // Absent: the user has no such job in Slurm.
  std::optional<SlurmJobId> slurm_job{};  // 0: not known yet
};

// The limits of an array.
struct ArrayBounds {
  int max_tasks = 1000;    // of the site; 0: no limit
  int slurm_max_size = 0;  // MaxArraySize, above all indices; 0: not known
};

// Every violation of spec.batch and of the fields that exclude it; `resolved`
// is in the order of the dependencies. REQUIRES: spec.batch.
std::vector<Violation> CheckBatch(
    const JobSpec& spec, const std::vector<ResolvedDependency>& resolved,
    const ArrayBounds& bounds);

// Slurm ids with the numbers of their DependencyKind. REQUIRES: CheckBatch
// found no violation.
std::vector<std::pair<SlurmJobId, int>> DependenciesOf(
    const BatchSpec& batch, const std::vector<ResolvedDependency>& resolved);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_CHECKS_BATCH_H_
