#include "frontend/gateway/stream_slots.h"

#include "absl/strings/str_cat.h"

namespace carme::frontend {

absl::StatusOr<StreamSlots::Slot> StreamSlots::Take(
    const std::string& session) {
  absl::MutexLock lock(&mutex_);
  if (taken_ >= max_) {
    return absl::UnavailableError("too many open pages; try again later");
  }
  int& of_session = by_session_[session];
  if (of_session >= max_per_session_) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "too many open pages for one session: allowed: ", max_per_session_,
        "; close another one"));
  }
  ++of_session;
  ++taken_;
  return Slot(this, [this, session](const void*) { Free(session); });
}

void StreamSlots::Free(const std::string& session) {
  absl::MutexLock lock(&mutex_);
  --taken_;
  const auto found = by_session_.find(session);
  if (--found->second == 0) by_session_.erase(found);
}

int StreamSlots::taken() const {
  absl::MutexLock lock(&mutex_);
  return taken_;
}

}  // namespace carme::frontend
