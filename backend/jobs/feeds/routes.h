// The routes to the agents of jobs, the statuses of jobs, and revoked sessions,
// for the proxies. Held in memory and filled from the active jobs after a
// start.
#ifndef CARME_BACKEND_JOBS_FEEDS_ROUTES_H_
#define CARME_BACKEND_JOBS_FEEDS_ROUTES_H_

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "backend/identity/session.h"
#include "backend/jobs/feeds/job_status.h"
#include "backend/jobs/model/job.h"
#include "common/clock.h"

namespace carme::backend {

class Routes;

struct RouteUpdates {
  bool snapshot = false;  // everything, including recent ends
  std::vector<std::pair<JobId, AgentEndpoint>> routes;
  std::vector<JobId> removed;
  std::vector<EndedSession> revoked;
  std::vector<SessionId> restored;
  std::map<JobId, JobStatus> statuses;
};

// Thread-safe. `wake` is not called after the destruction.
class RouteSubscription {
 public:
  ~RouteSubscription();
  RouteSubscription(const RouteSubscription&) = delete;
  RouteSubscription& operator=(const RouteSubscription&) = delete;
  // The changes since the last call; everything in the first call and after an
  // overflow. Does not block.
  RouteUpdates Drain();

 private:
  friend class Routes;
  RouteSubscription(Routes* routes, std::function<void()> wake)
      : routes_(routes), wake_(std::move(wake)) {}
  void Wake();
  void TakeEverything();

  Routes* const routes_;
  const std::function<void()> wake_;
  // Guarded by the routes' mutex. An empty endpoint means removed.
  std::map<JobId, std::optional<AgentEndpoint>> changed_;
  std::vector<EndedSession> revoked_;
  std::vector<SessionId> restored_;
  std::map<JobId, JobStatus> statuses_;
  bool everything_ = true;
};

// Thread-safe.
class Routes {
 public:
  // `clock` must outlive this.
  explicit Routes(const Clock* clock) : clock_(clock) {}

  void Set(const JobId& job, const AgentEndpoint& endpoint);
  void Remove(const JobId& job);  // does nothing if there is none
  // Updates the endpoint and the status of a job together, so that a proxy
  // receives both at once. Without an endpoint the route is removed.
  void Show(const JobId& job, const std::optional<AgentEndpoint>& endpoint,
            const JobStatus& status);
  void Revoke(const EndedSession& session);
  // Reverts a revocation: the session is valid after all.
  void Restore(const SessionId& session);
  // `wake` is called from any thread, under a lock: it must not block or call
  // back. The routes must outlive the subscription.
  std::unique_ptr<RouteSubscription> Subscribe(std::function<void()> wake);

 private:
  friend class RouteSubscription;
  void Place(const JobId& job, const AgentEndpoint& endpoint)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Change(const JobId& job, const std::optional<AgentEndpoint>& endpoint)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  RouteUpdates Everything() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Remember(const JobId& job) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void DropOldEnds() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Clock* const clock_;
  absl::Mutex mutex_;
  std::map<JobId, AgentEndpoint> endpoints_ ABSL_GUARDED_BY(mutex_);
  JobStatuses statuses_ ABSL_GUARDED_BY(mutex_);
  std::map<SessionId, absl::Time> revoked_ ABSL_GUARDED_BY(mutex_);
  // Recent ends for proxies that were not connected, oldest first.
  std::deque<std::pair<absl::Time, JobId>> ended_ ABSL_GUARDED_BY(mutex_);
  std::deque<std::pair<absl::Time, SessionId>> restored_
      ABSL_GUARDED_BY(mutex_);
  std::set<RouteSubscription*> watchers_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_FEEDS_ROUTES_H_
