// Delivers changes of jobs to watchers. A slow reader receives the newest state
// of each job, not every step; a reader that does not read must list the jobs
// again, so memory is bounded.
#ifndef CARME_BACKEND_JOBS_FEEDS_JOB_FEED_H_
#define CARME_BACKEND_JOBS_FEEDS_JOB_FEED_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "backend/jobs/model/job.h"

namespace carme::backend {

class JobFeed;

struct JobUpdates {
  bool lost = false;      // too many changes: list again
  std::vector<Job> jobs;  // each changed job once
  uint64_t cluster_version = 0;
};

// Thread-safe. `wake` is not called after the destruction.
class JobSubscription {
 public:
  ~JobSubscription();
  JobSubscription(const JobSubscription&) = delete;
  JobSubscription& operator=(const JobSubscription&) = delete;
  // The changes since the last call. Does not block.
  JobUpdates Drain();

 private:
  friend class JobFeed;
  JobSubscription(JobFeed* feed, std::string owner, std::function<void()> wake)
      : feed_(feed), owner_(std::move(owner)), wake_(std::move(wake)) {}
  void Add(const std::shared_ptr<const Job>& job);

  JobFeed* const feed_;
  const std::string owner_;
  const std::function<void()> wake_;
  std::map<JobId, std::shared_ptr<const Job>> changed_;  // under feed's mutex
  bool lost_ = false;                                    // under feed's mutex
};

// Thread-safe.
class JobFeed {
 public:
  static constexpr size_t kMaxKept = 256;  // jobs a subscription

  // `wake` is called on each change, from any thread, under a lock: it must not
  // block or call back. The feed must outlive the subscription.
  std::unique_ptr<JobSubscription> Subscribe(const std::string& owner,
                                             std::function<void()> wake);
  void Publish(const Job& job);
  size_t WatchersOf(const std::string& owner);
  // Makes all watchers look again.
  void WakeAll();
  // Wakes all watchers if the version changed.
  void PublishCluster(uint64_t version);

 private:
  friend class JobSubscription;
  absl::Mutex mutex_;
  std::map<std::string, std::set<JobSubscription*>> watchers_
      ABSL_GUARDED_BY(mutex_);
  uint64_t cluster_version_ ABSL_GUARDED_BY(mutex_) = 0;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_FEEDS_JOB_FEED_H_
