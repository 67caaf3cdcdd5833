#include "backend/environments/render_gate.h"

#include "absl/status/status.h"

namespace carme::backend {

absl::StatusOr<RenderGate::Place> RenderGate::Enter(Uid uid) {
  absl::MutexLock lock(&mutex_);
  const auto own = of_user_.find(uid);
  if (inside_ >= max_ ||
      (own != of_user_.end() && own->second >= max_of_user_)) {
    return absl::ResourceExhaustedError(
        "too many environments are being checked: try again");
  }
  ++inside_;
  ++of_user_[uid];
  return Place(nullptr, [this, uid](void*) { Leave(uid); });
}

void RenderGate::Leave(Uid uid) {
  absl::MutexLock lock(&mutex_);
  --inside_;
  const auto own = of_user_.find(uid);
  if (--own->second == 0) of_user_.erase(own);
}

}  // namespace carme::backend
