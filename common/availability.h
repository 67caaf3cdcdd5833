// Records whether a dependency of this process works, such as a server, a
// socket or the disk, by its last use.
#ifndef CARME_COMMON_AVAILABILITY_H_
#define CARME_COMMON_AVAILABILITY_H_

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"

namespace carme {

// Thread-safe.
class Availability {
 public:
  struct State {
    absl::Status status{};  // of the newest observation
    // The time of the last change between working and failing; InfinitePast:
    // never observed.
    absl::Time since = absl::InfinitePast();
    absl::Time observed_at = absl::InfinitePast();

    bool observed() const { return observed_at != absl::InfinitePast(); }
  };

  // Observations may arrive in any order; older ones are ignored.
  void Observe(const absl::Status& status, absl::Time at) {
    absl::MutexLock lock(&mutex_);
    if (at < state_.observed_at) return;
    if (!state_.observed() || status.ok() != state_.status.ok()) {
      state_.since = at;
    }
    state_.status = status;
    state_.observed_at = at;
  }
  State state() const {
    absl::MutexLock lock(&mutex_);
    return state_;
  }
  // Whether the newest observation is older than this; for a failure, than a
  // quarter of it.
  bool IsStale(absl::Time now, absl::Duration usual) const {
    absl::MutexLock lock(&mutex_);
    return now - state_.observed_at >= (state_.status.ok() ? usual : usual / 4);
  }

 private:
  mutable absl::Mutex mutex_;
  State state_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme

#endif  // CARME_COMMON_AVAILABILITY_H_
