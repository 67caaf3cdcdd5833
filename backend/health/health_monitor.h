// Keeps the state of each component of the site, and since when it has this
// state, for AdminService.GetHealth and the log.
#ifndef CARME_BACKEND_HEALTH_HEALTH_MONITOR_H_
#define CARME_BACKEND_HEALTH_HEALTH_MONITOR_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "carme/v1/admin.pb.h"
#include "common/clock.h"

namespace carme::backend {

// Thread-safe, but Add.
class HealthMonitor {
 public:
  // Returns the current state without blocking. The monitor sets `since` and
  // `observed_at` if they are absent.
  using Observe = std::function<v1::ComponentHealth()>;

  explicit HealthMonitor(const Clock* clock) : clock_(*clock) {}

  // Call in the order of the report, before the first Update().
  void Add(v1::HealthComponent component, Observe observe);
  // Updates all components. Call every few seconds from one thread. Logs each
  // change of state.
  void Update();
  // The result of the last Update().
  std::vector<v1::ComponentHealth> Report() const;
  // Another number than before: the state of a component or part, its start,
  // its detail or the list of parts has changed; or figures have, for which it
  // changes at most once a minute. Does not block. 0: before the first
  // Update().
  uint64_t version() const;
  // When the last Update() was; InfinitePast: never.
  absl::Time updated_at() const;

 private:
  struct Known {
    v1::HealthState state;
    absl::Time since;
  };
  void UpdateVersion(absl::Time now,
                     const std::vector<v1::ComponentHealth>& report);
  void Complete(const std::string& key, absl::Time now,
                std::map<std::string, Known>* seen,
                v1::ComponentHealth* health) const;

  const Clock& clock_;
  std::vector<std::pair<v1::HealthComponent, Observe>> sources_;
  // Of Update's thread:
  std::map<std::string, Known> known_;
  std::string states_;   // of the last report
  std::string figures_;  // of the last report that changed the version
  absl::Time version_set_at_ = absl::InfinitePast();
  mutable absl::Mutex mutex_;
  std::vector<v1::ComponentHealth> report_ ABSL_GUARDED_BY(mutex_);
  absl::Time updated_at_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
  std::atomic<uint64_t> version_{0};
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_HEALTH_HEALTH_MONITOR_H_
