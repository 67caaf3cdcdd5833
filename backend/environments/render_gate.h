// Limits how many environments are rendered at the same time: each uses bounded
// resources, but together they could occupy all threads.
#ifndef CARME_BACKEND_ENVIRONMENTS_RENDER_GATE_H_
#define CARME_BACKEND_ENVIRONMENTS_RENDER_GATE_H_

#include <map>
#include <memory>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "common/ids.h"

namespace carme::backend {

// Thread-safe.
class RenderGate {
 public:
  // Both at least 1.
  RenderGate(int max, int max_of_user) : max_(max), max_of_user_(max_of_user) {}

  // A slot, released with the pointer. RESOURCE_EXHAUSTED, with a message for
  // the user.
  using Place = std::shared_ptr<void>;
  absl::StatusOr<Place> Enter(Uid uid);

 private:
  void Leave(Uid uid);

  const int max_;
  const int max_of_user_;
  absl::Mutex mutex_;
  int inside_ ABSL_GUARDED_BY(mutex_) = 0;
  std::map<Uid, int> of_user_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_ENVIRONMENTS_RENDER_GATE_H_
