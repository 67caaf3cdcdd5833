// Limits concurrent streams, in total and per session. A stream uses a thread
// as long as its page is open, so the limit is well below that of connections.
//
// Thread-safe. Must outlive its slots.
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
  // Released when the last owner is destroyed.
  using Slot = std::shared_ptr<const void>;

  StreamSlots(int most, int max_per_session)
      : max_(most), max_per_session_(max_per_session) {}

  // `session` identifies the session; it is stored, so it must not be the
  // token. RESOURCE_EXHAUSTED: limit of the session. UNAVAILABLE: limit of the
  // portal.
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
