#include "backend/jobs/submission/dependencies.h"

#include <map>
#include <optional>
#include <set>

#include "backend/jobs/model/job_owner.h"
#include "backend/jobs/model/slurm_identity.h"

namespace carme::backend {
namespace {

// As many as policy lets through, and one more for it to complain of.
constexpr size_t kMaxLookedFor = 33;

}  // namespace

std::vector<AwaitedJob> AwaitedBy(const Session& caller, const JobSpec& spec,
                                  LiveJobs& live,
                                  const SlurmSnapshot& cluster) {
  std::vector<AwaitedJob> awaited;
  if (!spec.batch) return awaited;
  std::set<JobId> ended;
  for (const JobDependency& dependency : spec.batch->dependencies) {
    if (awaited.size() == kMaxLookedFor) break;
    AwaitedJob& row = awaited.emplace_back();
    if (!IsJobId(dependency.job)) continue;
    const JobId id(dependency.job);
    const std::optional<Job> job = live.Find(id);
    if (job && !HasEnded(*job)) {
      if (IsOwner(caller, *job)) row.slurm_job = job->slurm_id;
      continue;
    }
    ended.insert(id);
  }
  if (ended.empty()) return awaited;
  // The same job may be named twice, in two ways.
  std::map<JobId, SlurmJobId> found;
  for (const auto& [slurm_id, slurm] : cluster.jobs) {
    if (slurm.uid != caller.uid || !ended.contains(slurm.carme_id)) continue;
    found.emplace(slurm.carme_id, WholeOf(slurm));
  }
  for (size_t i = 0; i < awaited.size(); ++i) {
    const auto there = found.find(JobId(spec.batch->dependencies[i].job));
    if (there != found.end()) awaited[i].slurm_job = there->second;
  }
  return awaited;
}

}  // namespace carme::backend
