// Login with the second factor first: the factor is checked before the
// password.
#ifndef CARME_BACKEND_IDENTITY_LOGIN_FACTOR_FIRST_H_
#define CARME_BACKEND_IDENTITY_LOGIN_FACTOR_FIRST_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/identity/directory.h"
#include "backend/identity/factors/second_factor.h"
#include "backend/identity/login/factor_first_challenges.h"
#include "backend/identity/login/login_throttle.h"
#include "common/clock.h"

namespace carme::backend {

struct FactorFirstAnswer {
  FactorAnswer answer = {};
  std::string passkey_challenge = {};  // the challenge that was signed
};

// Thread-safe; blocks for the directory and the disk.
//
// 1. Each attempt is counted before it is checked, for unknown user names as
// for
//    existing ones.
// 2. The check consumes TOTP codes and passkey responses. A recovery code is
//    consumed only after the password is verified too, so that a mistyped
//    password costs no code.
class FactorFirst {
 public:
  struct Parts {
    Directory* directory;
    SecondFactor* factor;
    LoginThrottle* throttle;
    const Clock* clock;
  };
  explicit FactorFirst(Parts parts) : parts_(parts), challenges_(parts.clock) {}

  // The challenge for any passkey.
  std::string NewChallenge() const { return challenges_.Make(); }

  // Returns the user with this factor. `*whose`, for the log, is also set when
  // the factor is wrong and the account exists. UNAUTHENTICATED: wrong factor
  // or unknown user; the message is for the log. RESOURCE_EXHAUSTED: wait.
  // Other errors: the directory or the disk failed.
  absl::StatusOr<Person> Check(std::string_view username,
                               const FactorFirstAnswer& first,
                               std::string_view client_address,
                               std::string* whose);
  // Consumes a recovery code after the password is verified.
  // UNAUTHENTICATED: the code was consumed meanwhile.
  absl::Status Spend(Uid uid, const FactorAnswer& answer,
                     std::string_view client_address);

 private:
  absl::Status CheckAnswer(Uid uid, const FactorFirstAnswer& first);

  const Parts parts_;
  FactorFirstChallenges challenges_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_LOGIN_FACTOR_FIRST_H_
