// Re-authentication: the second factor again, within a session, before
// sensitive operations.
#ifndef CARME_BACKEND_IDENTITY_LOGIN_REAUTHENTICATION_H_
#define CARME_BACKEND_IDENTITY_LOGIN_REAUTHENTICATION_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/identity/factors/second_factor.h"
#include "backend/identity/login/login_throttle.h"
#include "backend/identity/login/pending_enrollments.h"
#include "backend/identity/session.h"
#include "common/clock.h"

namespace carme::backend {

struct ReauthenticationChallenge {
  FactorOffer offer = {};
  std::string passkey_challenge = {};  // empty: there is no passkey
};

// Thread-safe; blocks for the disk. Wrong answers count towards the same limits
// as those of a login.
class Reauthentication {
 public:
  struct Parts {
    SecondFactor* factor;
    Sessions* sessions;
    PendingEnrollments* offers;
    LoginThrottle* throttle;
    const Clock* clock;
    absl::Duration lifetime;
  };
  explicit Reauthentication(Parts parts) : parts_(parts) {}

  // UNAVAILABLE: the disk failed.
  absl::StatusOr<ReauthenticationChallenge> Start(const Session& session);
  // Returns the updated session. INVALID_ARGUMENT: wrong factor; `*reason` is
  // for the log. RESOURCE_EXHAUSTED: too many wrong answers; UNAUTHENTICATED:
  // the session has ended; UNAVAILABLE: the disk failed.
  absl::StatusOr<Session> Finish(const Session& session,
                                 const FactorAnswer& answer,
                                 const std::string& client_address,
                                 std::string* reason);

 private:
  absl::Status Check(const Session& session, const FactorAnswer& answer,
                     const std::string& client_address, std::string* reason);
  const Parts parts_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_LOGIN_REAUTHENTICATION_H_
