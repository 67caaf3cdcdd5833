#include "backend/identity/login/pending_enrollments.h"

#include <algorithm>

namespace carme::backend {

void PendingEnrollments::Put(const SessionId& session, CeremonyKind kind,
                             std::string value) {
  absl::MutexLock lock(&mutex_);
  const absl::Time now = clock_.Now();
  const Key key(session, kind);
  if (!ceremonies_.contains(key)) EvictOldest(now);
  ceremonies_[key] = {std::move(value), now + kLifetime};
}

std::optional<std::string> PendingEnrollments::Find(const SessionId& session,
                                                    CeremonyKind kind) {
  absl::MutexLock lock(&mutex_);
  const auto found = ceremonies_.find(Key(session, kind));
  if (found == ceremonies_.end() || found->second.expires_at <= clock_.Now()) {
    return std::nullopt;
  }
  return found->second.value;
}

std::optional<std::string> PendingEnrollments::Take(const SessionId& session,
                                                    CeremonyKind kind) {
  std::optional<std::string> value = Find(session, kind);
  absl::MutexLock lock(&mutex_);
  // Only one of two concurrent callers gets the enrollment.
  return ceremonies_.erase(Key(session, kind)) == 1 ? value : std::nullopt;
}

void PendingEnrollments::EvictOldest(absl::Time now) {
  if (ceremonies_.size() < kMaxEntries) return;
  absl::erase_if(ceremonies_,
                 [&](const auto& row) { return row.second.expires_at <= now; });
  if (ceremonies_.size() < kMaxEntries) return;
  ceremonies_.erase(std::min_element(
      ceremonies_.begin(), ceremonies_.end(), [](const auto& a, const auto& b) {
        return a.second.expires_at < b.second.expires_at;
      }));
}

}  // namespace carme::backend
