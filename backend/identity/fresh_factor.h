// The second factor once more, within a session, before what is dangerous.
#ifndef CARME_BACKEND_IDENTITY_FRESH_FACTOR_H_
#define CARME_BACKEND_IDENTITY_FRESH_FACTOR_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/identity/second_factor.h"
#include "backend/identity/session.h"
#include "backend/identity/session_offers.h"
#include "backend/identity/throttle.h"
#include "common/clock.h"

namespace carme::backend {

struct FactorQuestion {
  FactorOffer offer = {};
  std::string passkey_challenge = {};  // empty: there is no passkey
};

// Thread-safe; blocks for the disk. Wrong answers count as those of a log-in
// do, against the same account.
class FreshFactor {
 public:
  struct Parts {
    SecondFactor* factor;
    Sessions* sessions;
    SessionOffers* offers;
    Throttle* throttle;
    const Clock* clock;
    absl::Duration lasts;
  };
  explicit FreshFactor(Parts parts) : parts_(parts) {}

  // UNAVAILABLE: the disk gave no answer.
  absl::StatusOr<FactorQuestion> Start(const Session& session);
  // Gives the session as it is now. INVALID_ARGUMENT: wrong, and `*reason`, for
  // the log, says how; RESOURCE_EXHAUSTED: wrong too often; UNAUTHENTICATED:
  // the session is over; UNAVAILABLE.
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

#endif  // CARME_BACKEND_IDENTITY_FRESH_FACTOR_H_
