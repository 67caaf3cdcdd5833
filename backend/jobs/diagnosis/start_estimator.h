// Estimates the start of a job: queries Slurm, and for a job that would wait
// looks for a smaller or shorter variant that would start at once or much
// earlier.
#ifndef CARME_BACKEND_JOBS_DIAGNOSIS_START_ESTIMATOR_H_
#define CARME_BACKEND_JOBS_DIAGNOSIS_START_ESTIMATOR_H_

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/jobs/diagnosis/start_estimate.h"
#include "backend/policy/policy.h"
#include "backend/slurm/scheduler.h"
#include "backend/slurm/submitter.h"
#include "common/clock.h"
#include "common/concurrency/background_thread.h"
#include "common/concurrency/concurrency_limiter.h"

namespace carme::backend {

// Thread-safe.
// 1. At most two queries run at a time, and one per user, so that an
//    unresponsive Slurm blocks few processes of the impersonator.
// 2. One request leads to at most five queries, one after the other.
// 3. Of a user's waiting requests only the newest counts.
// 4. At most kMaxWaiting calls wait, few of them of one user; further calls
//    return "not known yet" at once.
class StartEstimator {
 public:
  static constexpr int kMaxWaiting = 32;
  static constexpr int kMaxPerUser = 4;
  // Decides about a spec for the user of the request.
  using Decide = std::function<Decision(const JobSpec& spec)>;
  struct Query {
    PosixUser user{};
    JobSpec asked{};      // as the user entered it
    Decision decision{};  // the policy's decision. REQUIRES: allowed
    Decide decide{};      // called on a thread of the estimator
    std::string request_id{};
  };
  // Both must outlive this; the destructor waits for the running query.
  // `timeout`: how long a call waits for its result.
  StartEstimator(Submitter* submitter, Scheduler* scheduler, const Clock* clock,
                 absl::Duration timeout = absl::Seconds(2));
  ~StartEstimator();

  // Blocks for at most the timeout. A result that comes later is returned by a
  // later call. Nothing: a newer request of the user replaced this one.
  std::optional<StartEstimateSummary> Estimate(Query query);

 private:
  struct Work {
    Query query;
    std::string key;
    bool replaced = false;
    std::optional<StartEstimateSummary> done;
  };
  struct CachedEstimate {
    StartEstimateSummary estimate;
    uint64_t version = 0;  // of the cluster
    absl::Time at{};
  };
  absl::Duration EstimateNext();
  StartEstimateSummary ComputeEstimate(const Query& query);
  std::optional<StartEstimateSummary> FindCached(const std::string& key)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::shared_ptr<Work> Enqueue(Query query, const std::string& key)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Null: nothing is queued for a user without a running query.
  std::shared_ptr<Work> TakeNext() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Cache(const std::string& key, const StartEstimateSummary& estimate,
             uint64_t version) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  Submitter* const submitter_;
  Scheduler* const scheduler_;
  const Clock* const clock_;
  const absl::Duration timeout_;
  ConcurrencyLimiter<Uid> calls_{kMaxWaiting, kMaxPerUser};  // that wait
  absl::Mutex mutex_;
  std::deque<std::shared_ptr<Work>> queue_ ABSL_GUARDED_BY(mutex_);
  std::map<Uid, std::shared_ptr<Work>> current_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, CachedEstimate> cache_ ABSL_GUARDED_BY(mutex_);
  std::atomic<bool> ending_ = false;
  std::deque<BackgroundThread> threads_;  // last: they use the others
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_DIAGNOSIS_START_ESTIMATOR_H_
