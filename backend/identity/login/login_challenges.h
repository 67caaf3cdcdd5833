// Logins that have passed the password check and wait for the second factor. In
// memory only: a restart requires the password again.
#ifndef CARME_BACKEND_IDENTITY_LOGIN_LOGIN_CHALLENGES_H_
#define CARME_BACKEND_IDENTITY_LOGIN_LOGIN_CHALLENGES_H_

#include <list>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/identity/person.h"
#include "common/clock.h"
#include "common/ids.h"

namespace carme::backend {

struct Challenge {
  Person person = {};
  // The client address is a known address of the account.
  bool known_address = false;
  std::string typed = {};  // the user name as typed
  // The account has no factor: the response enrolls its first one.
  bool enrolls = false;
  // The offered TOTP secret; empty: none.
  std::string new_secret = {};
  // The challenge for a passkey, enrolled or new; empty: none.
  std::string passkey_challenge = {};
  // The password must be changed before the session begins.
  bool must_change = false;
  // The factor is verified; only the new password is missing.
  bool proved = false;
  // Of the completed enrollment; returned with the session.
  std::vector<std::string> recovery_codes = {};
};

// Thread-safe.
//
// 1. Only one check of a challenge runs at a time, so that parallel attempts
//    cannot exceed kMaxWrong.
// 2. A challenge ends with its success, after kLifetime, after kMaxWrong wrong
//    codes, when the account has too many newer ones, and when all sessions of
//    the user are ended. Challenges from known addresses and from elsewhere are
//    counted separately: an attacker who knows the password cannot evict the
//    owner's challenges.
class LoginChallenges {
 public:
  static constexpr absl::Duration kLifetime = absl::Minutes(5);
  static constexpr int kMaxWrong = 5;
  static constexpr size_t kMaxPerAccount = 4;
  static constexpr size_t kMaxEntries = 4096;

  explicit LoginChallenges(const Clock* clock) : clock_(*clock) {}

  // Returns the id, 256 random bits.
  std::string Open(Challenge challenge) ABSL_LOCKS_EXCLUDED(mutex_);

  // Takes the challenge for one check. nullopt: not found, or a check is
  // running.
  std::optional<Challenge> Take(const std::string& id)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // The account of the challenge; empty: not found.
  std::string AccountOf(const std::string& id) ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns the challenge after a wrong code.
  void PutBack(const std::string& id) ABSL_LOCKS_EXCLUDED(mutex_);
  // Records that the factor is verified. The challenge must still be put back.
  void MarkProved(const std::string& id,
                  std::vector<std::string> recovery_codes)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Returns the challenge after a check that failed for another reason.
  void PutBackUnused(const std::string& id) ABSL_LOCKS_EXCLUDED(mutex_);
  // Removes the challenge after success. False: it was removed meanwhile.
  bool Close(const std::string& id) ABSL_LOCKS_EXCLUDED(mutex_);
  // Removes all challenges of the user, including those that are being checked.
  void RemoveAllOf(Uid person) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Entry {
    Challenge challenge;
    absl::Time expires_at;
    int wrong = 0;
    bool checking = false;
    std::list<std::string>::iterator place;
  };
  // Whether it existed.
  bool Remove(const std::string& id) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EvictOldest(const Challenge& challenge)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Clock& clock_;
  absl::Mutex mutex_;
  // Ids, oldest first.
  std::list<std::string> order_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, Entry> entries_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_LOGIN_LOGIN_CHALLENGES_H_
