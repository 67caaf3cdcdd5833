// Does what a batch job is to run make sense? Pure functions.
#ifndef CARME_BACKEND_POLICY_CHECKS_BATCH_H_
#define CARME_BACKEND_POLICY_CHECKS_BATCH_H_

#include <optional>
#include <utility>
#include <vector>

#include "backend/policy/spec/job_spec.h"
#include "backend/policy/spec/violation.h"
#include "common/ids.h"

namespace carme::backend {

// A job that a spec's dependency names, as it is now.
struct ResolvedDependency {
  // Absent: the user has no such job that Slurm has or will have.
  std::optional<SlurmJobId> slurm_job{};  // 0: Slurm has not answered yet
};

// What an array may be, beside its form.
struct ArrayBounds {
  int max_tasks = 1000;  // the site's; 0: no bound
  int slurms_size = 0;    // MaxArraySize: indices are below it; 0: not known
};

// Everything that is wrong with spec.batch and with what stands beside it;
// `awaited` is in the order of its dependencies. REQUIRES: spec.batch.
std::vector<Violation> CheckBatch(const JobSpec& spec,
                                  const std::vector<ResolvedDependency>& resolved,
                                  const ArrayBounds& bounds);

// Slurm's ids and the kinds' numbers. REQUIRES: CheckBatch had nothing against
// it.
std::vector<std::pair<SlurmJobId, int>> DependenciesOf(
    const BatchSpec& batch, const std::vector<ResolvedDependency>& resolved);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_CHECKS_BATCH_H_
