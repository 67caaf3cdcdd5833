#include "backend/identity/session_offers.h"

#include <algorithm>

namespace carme::backend {

void SessionOffers::Put(const SessionId& session, OfferKind kind,
                        std::string value) {
  absl::MutexLock lock(&mutex_);
  const absl::Time now = clock_.Now();
  const Key key(session, kind);
  if (!offers_.contains(key)) MakeRoom(now);
  offers_[key] = {std::move(value), now + kLifetime};
}

std::optional<std::string> SessionOffers::Find(const SessionId& session,
                                               OfferKind kind) {
  absl::MutexLock lock(&mutex_);
  const auto found = offers_.find(Key(session, kind));
  if (found == offers_.end() || found->second.dies_at <= clock_.Now()) {
    return std::nullopt;
  }
  return found->second.value;
}

std::optional<std::string> SessionOffers::Take(const SessionId& session,
                                               OfferKind kind) {
  std::optional<std::string> value = Find(session, kind);
  absl::MutexLock lock(&mutex_);
  // Of two who take it at once, one has it.
  return offers_.erase(Key(session, kind)) == 1 ? value : std::nullopt;
}

void SessionOffers::MakeRoom(absl::Time now) {
  if (offers_.size() < kMost) return;
  absl::erase_if(offers_,
                 [&](const auto& row) { return row.second.dies_at <= now; });
  if (offers_.size() < kMost) return;
  offers_.erase(std::min_element(offers_.begin(), offers_.end(),
                                 [](const auto& a, const auto& b) {
                                   return a.second.dies_at < b.second.dies_at;
                                 }));
}

}  // namespace carme::backend
