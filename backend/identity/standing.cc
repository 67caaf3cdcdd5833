#include "backend/identity/standing.h"

#include <utility>

namespace carme {
namespace {

absl::Status Away() {
  return absl::UnavailableError(
      "the site's directory cannot be asked about you now: try again");
}

}  // namespace

absl::StatusOr<Person> Standing::Of(const std::string& username) {
  {
    absl::MutexLock lock(&mutex_);
    while (true) {
      const absl::Time now = clock_.Now();
      Word& word = words_[username];
      if (now < word.said_at + kGood) return word.person;
      const bool usable = now < word.said_at + kUsable;
      if (!word.asking && now >= word.ask_after) {
        word.asking = true;
        break;
      }
      if (usable) return word.person;
      if (!word.asking) return Away();
      const auto answered = [&] {
        const auto found = words_.find(username);
        return found == words_.end() || !found->second.asking;
      };
      mutex_.Await(absl::Condition(&answered));
    }
  }
  return Settle(username, directory_.LookUp(username));
}

absl::StatusOr<Person> Standing::Settle(const std::string& username,
                                        absl::StatusOr<Person> answer) {
  absl::MutexLock lock(&mutex_);
  const absl::Time now = clock_.Now();
  Word& word = words_[username];
  word.asking = false;
  if (answer.ok()) {
    word.person = *answer;
    word.said_at = now;
    word.ask_after = now;
    return answer;
  }
  if (absl::IsNotFound(answer.status())) {
    words_.erase(username);
    return answer;
  }
  word.ask_after = now + kPause;
  if (now < word.said_at + kUsable) return word.person;
  return Away();
}

void Standing::Sweep() {
  absl::MutexLock lock(&mutex_);
  const absl::Time now = clock_.Now();
  absl::erase_if(words_, [&](const auto& row) {
    return !row.second.asking && now >= row.second.said_at + kUsable &&
           now >= row.second.ask_after;
  });
}

}  // namespace carme
