#include "backend/identity/login/login_challenges.h"

#include <utility>

#include "common/encoding.h"
#include "common/random.h"

namespace carme::backend {

std::string LoginChallenges::Open(Challenge challenge) {
  absl::MutexLock lock(&mutex_);
  EvictOldest(challenge);
  std::string id = Base64UrlEncode(RandomBytes(32));
  order_.push_back(id);
  entries_[id] = Entry{.challenge = std::move(challenge),
                       .expires_at = clock_.Now() + kLifetime,
                       .place = std::prev(order_.end())};
  return id;
}

std::optional<Challenge> LoginChallenges::Take(const std::string& id) {
  absl::MutexLock lock(&mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end() || found->second.checking) return std::nullopt;
  if (found->second.expires_at <= clock_.Now()) {
    Remove(id);
    return std::nullopt;
  }
  found->second.checking = true;
  return found->second.challenge;
}

std::string LoginChallenges::AccountOf(const std::string& id) {
  absl::MutexLock lock(&mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end() || found->second.expires_at <= clock_.Now()) {
    return "";
  }
  return found->second.challenge.person.username;
}

void LoginChallenges::PutBack(const std::string& id) {
  absl::MutexLock lock(&mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end()) return;
  found->second.checking = false;
  if (++found->second.wrong >= kMaxWrong) Remove(id);
}

void LoginChallenges::MarkProved(const std::string& id,
                                 std::vector<std::string> recovery_codes) {
  absl::MutexLock lock(&mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end()) return;
  found->second.challenge.proved = true;
  found->second.challenge.recovery_codes = std::move(recovery_codes);
}

void LoginChallenges::PutBackUnused(const std::string& id) {
  absl::MutexLock lock(&mutex_);
  const auto found = entries_.find(id);
  if (found != entries_.end()) found->second.checking = false;
}

bool LoginChallenges::Close(const std::string& id) {
  absl::MutexLock lock(&mutex_);
  return Remove(id);
}

void LoginChallenges::RemoveAllOf(Uid person) {
  absl::MutexLock lock(&mutex_);
  std::erase_if(order_, [&](const std::string& id) {
    const auto found = entries_.find(id);
    if (found->second.challenge.person.uid != person) return false;
    entries_.erase(found);
    return true;
  });
}

bool LoginChallenges::Remove(const std::string& id) {
  const auto found = entries_.find(id);
  if (found == entries_.end()) return false;
  order_.erase(found->second.place);
  entries_.erase(found);
  return true;
}

void LoginChallenges::EvictOldest(const Challenge& challenge) {
  // All challenges have the same lifetime, so the expired ones are the oldest.
  while (!order_.empty() &&
         (entries_[order_.front()].expires_at <= clock_.Now() ||
          entries_.size() >= kMaxEntries)) {
    Remove(std::string(order_.front()));
  }
  size_t own = 0;
  std::string oldest;
  for (const std::string& id : order_) {
    const Challenge& other = entries_[id].challenge;
    if (other.person.username != challenge.person.username ||
        other.known_address != challenge.known_address) {
      continue;
    }
    if (own++ == 0) oldest = id;
  }
  if (own >= kMaxPerAccount) Remove(oldest);
}

}  // namespace carme::backend
