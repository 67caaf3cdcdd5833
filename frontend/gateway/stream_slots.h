// How many streams are open, overall and for each session: a stream holds a
// thread for as long as its page is open, so their number is bounded well
// below the number of connections.
//
// Thread-safe. Outlives its slots.
#ifndef CARME_FRONTEND_GATEWAY_STREAM_SLOTS_H_
#define CARME_FRONTEND_GATEWAY_STREAM_SLOTS_H_

#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"

namespace carme::frontend {

class StreamSlots {
 public:
  // A place that is free again when its last owner is gone.
  using Slot = std::shared_ptr<const void>;

  StreamSlots(int most, int max_per_session)
      : max_(most), max_per_session_(max_per_session) {}

  // `session` is any key of the session; not the token, for it is kept.
  // RESOURCE_EXHAUSTED: the session has too many; UNAVAILABLE: the portal has.
  absl::StatusOr<Slot> Take(const std::string& session);
  int taken() const;

 private:
  void Free(const std::string& session);

  const int max_;
  const int max_per_session_;
  mutable absl::Mutex mutex_;
  int taken_ ABSL_GUARDED_BY(mutex_) = 0;
  absl::flat_hash_map<std::string, int> by_session_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_GATEWAY_STREAM_SLOTS_H_
