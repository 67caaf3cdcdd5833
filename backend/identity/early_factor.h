// A second factor that is shown before the password is looked at.
#ifndef CARME_BACKEND_IDENTITY_EARLY_FACTOR_H_
#define CARME_BACKEND_IDENTITY_EARLY_FACTOR_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/identity/directory.h"
#include "backend/identity/early_challenges.h"
#include "backend/identity/second_factor.h"
#include "backend/identity/throttle.h"
#include "common/clock.h"

namespace carme::backend {

struct EarlyAnswer {
  FactorAnswer answer = {};
  std::string passkey_challenge = {};  // the one that was signed
};

// Thread-safe; blocks for the directory and the disk.
//
// 1. A wrong answer is counted before it is looked at, for a name that nobody
//    has as for one that somebody has.
// 2. An app's code and a passkey's answer are spent by the check. A recovery
//    code is not before the password was right too: somebody who has found one
//    cannot use up ten, and who mistypes the password loses none.
class EarlyFactor {
 public:
  struct Parts {
    Directory* directory;
    SecondFactor* factor;
    Throttle* throttle;
    const Clock* clock;
  };
  explicit EarlyFactor(Parts parts) : parts_(parts), challenges_(parts.clock) {}

  // For a passkey to sign, whosever it is.
  std::string NewChallenge() const { return challenges_.Make(); }

  // Whose factor that is; `*whose`, for the log, is set also when the factor
  // was wrong and the account is there. UNAUTHENTICATED: nobody's of this name;
  // the message is for the log. RESOURCE_EXHAUSTED: wait. Else the directory or
  // the disk gave no answer.
  absl::StatusOr<Person> Check(std::string_view username,
                               const EarlyAnswer& early,
                               std::string_view client_address,
                               std::string* whose);
  // After the password was right: spends what Check did not.
  // UNAUTHENTICATED: somebody else was faster.
  absl::Status Spend(Uid uid, const FactorAnswer& answer,
                     std::string_view client_address);

 private:
  absl::Status CheckAnswer(Uid uid, const EarlyAnswer& early);

  const Parts parts_;
  EarlyChallenges challenges_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_EARLY_FACTOR_H_
