// Limits how many calls of one login step run at the same time.
#ifndef CARME_BACKEND_IDENTITY_LOGIN_LOGIN_CONCURRENCY_H_
#define CARME_BACKEND_IDENTITY_LOGIN_LOGIN_CONCURRENCY_H_

#include <string>

#include "common/concurrency/concurrency_limiter.h"

namespace carme::backend {

// What is known of a login step before anything is checked.
struct LoginAttempt {
  // The account, if the client has shown something for it: a known address of
  // the account, or a live challenge, which requires the account's password.
  // Empty: unauthenticated.
  std::string account = {};
  bool known_address = false;
  std::string address = {};
};

// Thread-safe. Each call occupies a thread while it waits for the directory or
// for the end of the failure delay. The number of slots is therefore small:
//
// 1. A quarter of them is reserved for attempts with an account, so that
//    unauthenticated clients cannot keep out returning users.
// 2. An unauthenticated address gets at most a quarter.
// 3. An account has a few slots at its known addresses and as many elsewhere:
//    an attacker who knows the password cannot use up the owner's slots.
class LoginConcurrency {
 public:
  static constexpr int kMaxSlots = 64;
  static constexpr int kMaxUnauthenticated = 48;
  static constexpr int kMaxPerAddress = 16;
  static constexpr int kMaxPerAccount = 4;

  // Holds a slot until its destruction, if one was free.
  class Slot {
   public:
    Slot(LoginConcurrency* limiter, const LoginAttempt& attempt);
    bool acquired() const { return of_all_.acquired(); }

   private:
    using Part = ConcurrencyLimiter<std::string>::Slot;
    Part of_unauthenticated_;  // none for an account
    Part of_all_;
  };

 private:
  // All attempts, by account; unauthenticated ones have no key there.
  ConcurrencyLimiter<std::string> all_{kMaxSlots, kMaxPerAccount};
  // By address.
  ConcurrencyLimiter<std::string> unauthenticated_{kMaxUnauthenticated,
                                                   kMaxPerAddress};
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_LOGIN_LOGIN_CONCURRENCY_H_
