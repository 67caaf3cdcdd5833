#include "backend/identity/standing.h"

#include <algorithm>

namespace carme::backend {
namespace {

absl::Status Away() {
  return absl::UnavailableError(
      "the site's directory cannot be asked about you now: try again");
}

absl::Status Missing() {
  return absl::NotFoundError("the site's directory does not let you in");
}

}  // namespace

absl::StatusOr<Standing::Word> Standing::Of(const std::string& username) {
  absl::Time asked_at;
  {
    absl::MutexLock lock(&mutex_);
    while (true) {
      const absl::Time now = clock_.Now();
      Known& known = known_[username];
      if (now < known.word.asked_at + kGood) return known.word;
      if (!known.asking && now >= known.ask_after) {
        known.asking = true;
        asked_at = now;
        break;
      }
      if (now < known.word.asked_at + kUsable) return known.word;
      if (!known.asking) {
        return known.missing_since <= now ? Missing() : Away();
      }
      const auto answered = [&] { return !known_[username].asking; };
      mutex_.Await(absl::Condition(&answered));
    }
  }
  return Settle(username, asked_at, directory_.LookUp(username));
}

absl::StatusOr<Standing::Word> Standing::Settle(
    const std::string& username, absl::Time asked_at,
    const absl::StatusOr<Person>& answer) {
  absl::MutexLock lock(&mutex_);
  Known& known = known_[username];
  known.asking = false;
  if (answer.ok()) {
    known = Known{.word = {*answer, asked_at}};
    return known.word;
  }
  const absl::Time now = clock_.Now();
  known.ask_after = now + kPause;
  if (absl::IsNotFound(answer.status())) {
    known.word.asked_at = absl::InfinitePast();
    known.missing_since = std::min(known.missing_since, now);
    return Missing();
  }
  if (now < known.word.asked_at + kUsable) return known.word;
  return Away();
}

absl::StatusOr<Standing::Word> Standing::Last(const std::string& username) {
  absl::MutexLock lock(&mutex_);
  const auto found = known_.find(username);
  if (found == known_.end()) return Away();
  const absl::Time now = clock_.Now();
  const Known& known = found->second;
  if (now < known.word.asked_at + kUsable) return known.word;
  return known.missing_since <= now ? Missing() : Away();
}

absl::Time Standing::MissingSince(const std::string& username) {
  absl::MutexLock lock(&mutex_);
  const auto found = known_.find(username);
  return found == known_.end() ? absl::InfiniteFuture()
                               : found->second.missing_since;
}

void Standing::Sweep() {
  absl::MutexLock lock(&mutex_);
  const absl::Time now = clock_.Now();
  absl::erase_if(known_, [&](const auto& row) {
    const Known& known = row.second;
    const bool missing = known.missing_since < absl::InfiniteFuture();
    // How long somebody is missing is known as long as somebody asks.
    const absl::Duration kept = missing ? absl::Hours(1) : absl::ZeroDuration();
    return !known.asking && now >= known.word.asked_at + kUsable &&
           now >= known.ask_after + kept;
  });
}

}  // namespace carme::backend
