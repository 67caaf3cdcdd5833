#include "backend/jobs/submission/dependencies.h"

#include <map>
#include <optional>
#include <set>

#include "backend/jobs/model/job_owner.h"
#include "backend/jobs/model/slurm_identity.h"

namespace carme::backend {
namespace {

// The policy's maximum, and one more that it refuses.
constexpr size_t kMaxResolved = 33;

}  // namespace

std::vector<ResolvedDependency> ResolveDependencies(
    const Session& caller, const JobSpec& spec, ActiveJobs& active,
    const SlurmSnapshot& cluster) {
  std::vector<ResolvedDependency> resolved;
  if (!spec.batch) return resolved;
  std::set<JobId> ended;
  for (const JobDependency& dependency : spec.batch->dependencies) {
    if (resolved.size() == kMaxResolved) break;
    ResolvedDependency& row = resolved.emplace_back();
    if (!IsJobId(dependency.job)) continue;
    const JobId id(dependency.job);
    const std::optional<Job> job = active.Find(id);
    if (job && !HasEnded(*job)) {
      if (IsOwner(caller, *job)) row.slurm_job = job->slurm_id;
      continue;
    }
    ended.insert(id);
  }
  if (ended.empty()) return resolved;
  // The same job may be named twice, with two kinds.
  std::map<JobId, SlurmJobId> found;
  for (const auto& [slurm_id, slurm] : cluster.jobs) {
    if (slurm.uid != caller.uid || !ended.contains(slurm.carme_id)) continue;
    found.emplace(slurm.carme_id, SubmittedJobId(slurm));
  }
  for (size_t i = 0; i < resolved.size(); ++i) {
    const auto there = found.find(JobId(spec.batch->dependencies[i].job));
    if (there != found.end()) resolved[i].slurm_job = there->second;
  }
  return resolved;
}

}  // namespace carme::backend
