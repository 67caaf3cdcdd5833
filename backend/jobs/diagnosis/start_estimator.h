// When a job would start that is submitted now: asks Slurm, and for a job that
// would wait looks for a smaller or shorter one that would not, or much less.
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
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/jobs/diagnosis/start_estimate.h"
#include "backend/policy/policy.h"
#include "backend/slurm/scheduler.h"
#include "backend/slurm/submitter.h"
#include "common/clock.h"

namespace carme::backend {

// Thread-safe.
//   1. At most two questions are under way, and one of each user, so that a
//      Slurm that hangs takes few of the impersonator's places.
//   2. One wish leads to five questions at most, asked one after the other.
//   3. Of a user's wishes that wait the newest counts.
//   4. At most kMaxInside calls wait, few of them one user's: who comes then
//      hears at once that Slurm has not said it yet.
class StartEstimator {
 public:
  static constexpr int kMaxInside = 32;
  static constexpr int kMaxOfUser = 4;
  // What the policy says of a spec, for the user of the wish.
  using Decide = std::function<Decision(const JobSpec& spec)>;
  struct Wish {
    PosixUser user{};
    JobSpec asked{};      // as the user wrote it
    Decision decision{};  // of the policy about it. REQUIRES: allowed
    Decide decide{};      // called on a thread of the forecaster's
    std::string request_id{};
  };
  // Both outlive the forecaster, which waits for the act that is under way.
  // `timeout` is how long an answer is waited for.
  StartEstimator(Submitter* submitter, Scheduler* scheduler, const Clock* clock,
             absl::Duration timeout = absl::Seconds(2));
  ~StartEstimator();

  // Blocks no longer than the timeout; what is not known then is a problem,
  // and there for who asks again a little later. Nothing: the user has asked
  // something else meanwhile.
  std::optional<Forecast> Foresee(Wish wish);

 private:
  struct Work {
    Wish wish;
    std::string key;
    bool replaced = false;
    std::optional<Forecast> done;
  };
  struct Kept {
    Forecast forecast;
    uint64_t version = 0;  // of the cluster
    absl::Time at{};
  };
  void Run();
  Forecast Answer(const Wish& wish);
  std::optional<Forecast> FindKept(const std::string& key)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::shared_ptr<Work> Enqueue(Wish wish, const std::string& key)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::shared_ptr<Work> TakeNext() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Keep(const std::string& key, const Forecast& forecast, uint64_t version)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool HasNext() const ABSL_SHARED_LOCKS_REQUIRED(mutex_);

  Submitter* const submitter_;
  Scheduler* const scheduler_;
  const Clock* const clock_;
  const absl::Duration timeout_;
  absl::Mutex mutex_;
  std::deque<std::shared_ptr<Work>> queue_ ABSL_GUARDED_BY(mutex_);
  std::map<Uid, std::shared_ptr<Work>> current_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, Kept> kept_ ABSL_GUARDED_BY(mutex_);
  int inside_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<Uid, int> inside_of_ ABSL_GUARDED_BY(mutex_);
  bool stopped_ ABSL_GUARDED_BY(mutex_) = false;
  std::atomic<bool> ending_ = false;  // the same, without the lock
  std::vector<std::thread> threads_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_DIAGNOSIS_START_ESTIMATOR_H_
