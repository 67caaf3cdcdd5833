// People between their password and their second factor, in memory only: a
// restart asks for the password again.
#ifndef CARME_BACKEND_IDENTITY_CHALLENGES_H_
#define CARME_BACKEND_IDENTITY_CHALLENGES_H_

#include <list>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/identity/directory.h"
#include "common/clock.h"
#include "common/ids.h"

namespace carme::backend {

struct Challenge {
  Person person = {};
  // The password came from an address where the account has logged in before.
  bool at_habit = false;
  std::string typed = {};  // the name that was
  // The account has no factor: the answer enrols its first one.
  bool enrols = false;
  // The TOTP secret that is offered with it; empty: none.
  std::string new_secret = {};
  // What a passkey was asked to sign, or a new one to be made for; empty: none.
  std::string passkey_challenge = {};
  // The directory wants a new password before it lets the account in.
  bool must_change = false;
  // The factor was right; only the new password is missing.
  bool proved = false;
  // Of the enrolment that was right; shown with the session.
  std::vector<std::string> recovery_codes = {};
};

// Thread-safe.
//
// 1. A challenge is given to one checker at a time, so that parallel guesses
//    do not share one count of wrong codes.
// 2. It dies with its success, after five minutes, after five wrong codes, when
//    the same account opens too many newer ones, and with all others of its
//    person when their sessions are ended. Those at habits and those elsewhere
//    are too many by themselves: who has stolen a password ends none of the
//    owner's at home.
class Challenges {
 public:
  static constexpr absl::Duration kLifetime = absl::Minutes(5);
  static constexpr int kMostWrong = 5;
  static constexpr size_t kMostPerAccount = 4;
  static constexpr size_t kMost = 4096;

  explicit Challenges(const Clock* clock) : clock_(*clock) {}

  // Its name, 256 random bits.
  std::string Open(Challenge challenge) ABSL_LOCKS_EXCLUDED(mutex_);

  // Takes it out for one check. Nothing: no such challenge, or somebody is
  // checking it now.
  std::optional<Challenge> Take(const std::string& id)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Whose it is, whether or not it is being checked; empty: no such challenge.
  std::string AccountOf(const std::string& id) ABSL_LOCKS_EXCLUDED(mutex_);
  // After a wrong code: back it goes, one try fewer.
  void PutBack(const std::string& id) ABSL_LOCKS_EXCLUDED(mutex_);
  // The factor was right, and is not asked for again. Put it back besides.
  void KeepProved(const std::string& id,
                  std::vector<std::string> recovery_codes)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // After a check that could not be made: back it goes as it was.
  void PutBackUnused(const std::string& id) ABSL_LOCKS_EXCLUDED(mutex_);
  // After the right code. False: it died while it was being checked.
  bool Close(const std::string& id) ABSL_LOCKS_EXCLUDED(mutex_);
  // All of the person's die, those that are being checked as well.
  void DropAllOf(Uid person) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Entry {
    Challenge challenge;
    absl::Time dies_at;
    int wrong = 0;
    bool taken = false;
    std::list<std::string>::iterator place;
  };
  // Whether it was there.
  bool Remove(const std::string& id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void MakeRoom(const Challenge& challenge)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Clock& clock_;
  absl::Mutex mutex_;
  // Ids, oldest first.
  std::list<std::string> order_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, Entry> entries_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_CHALLENGES_H_
