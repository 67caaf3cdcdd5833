// What the job that a job joins had when the other was submitted, with its
// linked jobs: limits per job count them together.
#ifndef CARME_BACKEND_DRY_RUN_JOINED_JOBS_H_
#define CARME_BACKEND_DRY_RUN_JOINED_JOBS_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "backend/dry_run/past_job.h"
#include "backend/policy/limits/quota.h"

namespace carme::backend {

// Whether the job was active at the time.
inline bool IsActiveAt(const PastJob& job, absl::Time at) {
  return job.created_at <= at && (!job.ended_at || *job.ended_at > at);
}

// Immutable. The jobs must outlive it.
class JoinedJobs {
 public:
  explicit JoinedJobs(const std::vector<PastJob>& jobs) {
    for (const PastJob& job : jobs) {
      if (job.spec.linked_to.empty()) {
        bases_[job.id] = &job;
      } else {
        linked_[JobId(job.spec.linked_to)].push_back(&job);
      }
    }
  }

  // The use of one job, with the GPUs and nodes of those that it joins.
  JobUse UseOf(const PastJob& job) const {
    JobUse use = carme::backend::UseOf(job.spec);
    if (job.spec.linked_to.empty()) return use;
    const JobId base(job.spec.linked_to);
    const auto add = [&](const PastJob& other) {
      if (&other == &job || !IsActiveAt(other, job.created_at)) return;
      const JobUse joined = carme::backend::UseOf(other.spec);
      use.gpus_joined += joined.gpus;
      use.nodes_joined += joined.nodes;
    };
    if (const auto found = bases_.find(base); found != bases_.end()) {
      add(*found->second);
    }
    if (const auto found = linked_.find(base); found != linked_.end()) {
      for (const PastJob* other : found->second) add(*other);
    }
    return use;
  }

 private:
  std::map<JobId, const PastJob*> bases_;
  std::map<JobId, std::vector<const PastJob*>> linked_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_DRY_RUN_JOINED_JOBS_H_
