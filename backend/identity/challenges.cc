#include "backend/identity/challenges.h"

#include <utility>

#include "common/encoding.h"
#include "common/random.h"

namespace carme::backend {

std::string Challenges::Open(Challenge challenge) {
  absl::MutexLock lock(&mutex_);
  MakeRoom(challenge);
  std::string id = Base64UrlEncode(RandomBytes(32));
  order_.push_back(id);
  entries_[id] = Entry{.challenge = std::move(challenge),
                       .dies_at = clock_.Now() + kLifetime,
                       .place = std::prev(order_.end())};
  return id;
}

std::optional<Challenge> Challenges::Take(const std::string& id) {
  absl::MutexLock lock(&mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end() || found->second.taken) return std::nullopt;
  if (found->second.dies_at <= clock_.Now()) {
    Remove(id);
    return std::nullopt;
  }
  found->second.taken = true;
  return found->second.challenge;
}

std::string Challenges::AccountOf(const std::string& id) {
  absl::MutexLock lock(&mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end() || found->second.dies_at <= clock_.Now()) {
    return "";
  }
  return found->second.challenge.person.username;
}

void Challenges::PutBack(const std::string& id) {
  absl::MutexLock lock(&mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end()) return;
  found->second.taken = false;
  if (++found->second.wrong >= kMostWrong) Remove(id);
}

void Challenges::KeepProved(const std::string& id,
                            std::vector<std::string> recovery_codes) {
  absl::MutexLock lock(&mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end()) return;
  found->second.challenge.proved = true;
  found->second.challenge.recovery_codes = std::move(recovery_codes);
}

void Challenges::PutBackUnused(const std::string& id) {
  absl::MutexLock lock(&mutex_);
  const auto found = entries_.find(id);
  if (found != entries_.end()) found->second.taken = false;
}

bool Challenges::Close(const std::string& id) {
  absl::MutexLock lock(&mutex_);
  return Remove(id);
}

void Challenges::DropAllOf(Uid person) {
  absl::MutexLock lock(&mutex_);
  std::erase_if(order_, [&](const std::string& id) {
    const auto found = entries_.find(id);
    if (found->second.challenge.person.uid != person) return false;
    entries_.erase(found);
    return true;
  });
}

bool Challenges::Remove(const std::string& id) {
  const auto found = entries_.find(id);
  if (found == entries_.end()) return false;
  order_.erase(found->second.place);
  entries_.erase(found);
  return true;
}

void Challenges::MakeRoom(const Challenge& challenge) {
  // All live equally long, so the dead ones are the oldest.
  while (!order_.empty() && (entries_[order_.front()].dies_at <= clock_.Now() ||
                             entries_.size() >= kMost)) {
    Remove(std::string(order_.front()));
  }
  size_t own = 0;
  std::string oldest;
  for (const std::string& id : order_) {
    const Challenge& other = entries_[id].challenge;
    if (other.person.username != challenge.person.username ||
        other.at_habit != challenge.at_habit) {
      continue;
    }
    if (own++ == 0) oldest = id;
  }
  if (own >= kMostPerAccount) Remove(oldest);
}

}  // namespace carme::backend
