#include "backend/identity/login/login_concurrency.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/identity/login/throttle_address.h"

namespace carme::backend {

LoginConcurrency::Slot::Slot(LoginConcurrency* limiter,
                             const LoginAttempt& attempt) {
  if (!attempt.account.empty()) {
    of_all_ = limiter->all_.TryAcquire(absl::StrCat(
        attempt.known_address ? "known\n" : "password\n", attempt.account));
    return;
  }
  Part own =
      limiter->unauthenticated_.TryAcquire(ThrottledAddress(attempt.address));
  if (!own.acquired()) return;
  of_all_ = limiter->all_.TryAcquire();
  if (of_all_.acquired()) of_unauthenticated_ = std::move(own);
}

}  // namespace carme::backend
