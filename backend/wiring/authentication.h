// The component that authenticates users: log-in and second factors.
#ifndef CARME_BACKEND_WIRING_AUTHENTICATION_H_
#define CARME_BACKEND_WIRING_AUTHENTICATION_H_

#include <memory>
#include <optional>
#include <vector>

#include "backend/audit/audit_log.h"
#include "backend/identity/directory.h"
#include "backend/identity/factors/factor_store.h"
#include "backend/identity/factors/recovery_codes.h"
#include "backend/identity/factors/second_factor.h"
#include "backend/identity/login/login_flow.h"
#include "backend/identity/login/login_throttle.h"
#include "backend/identity/login/pending_enrollments.h"
#include "backend/identity/login/reauthentication.h"
#include "backend/identity/session/session_store.h"
#include "backend/identity/users/user_store.h"
#include "backend/store/database.h"
#include "backend/wiring/backend_config.h"
#include "common/clock.h"
#include "common/concurrency/ticker.h"

namespace grpc {
class Service;
}

namespace carme::backend {

// All pointers must outlive the object.
struct AuthenticationParts {
  Database* database;
  const Clock* clock;
  Directory* directory;
  SessionStore* sessions;  // creates sessions
  Sessions* credentials;   // validates sessions and tokens
  const BackendConfig* config;
  AuditLog* audit;
};

// Owns what log-in and second factors consist of.
class Authentication {
 public:
  explicit Authentication(const AuthenticationParts& parts);
  Authentication(const Authentication&) = delete;
  Authentication& operator=(const Authentication&) = delete;

  // Saves the failed log-ins that were counted since the last save.
  ~Authentication();

  // Loads the recent failed log-ins, and saves them every five seconds from
  // then on. Call once, before serving.
  absl::Status Load();

  // Adds AuthService and FactorService.
  void AddServices(std::vector<std::unique_ptr<grpc::Service>>* services);

  FactorStore* factors() { return &factors_; }
  RecoveryCodes* recovery_codes() { return &recovery_codes_; }
  UserStore* users() { return &users_; }
  LoginThrottle* throttle() { return &throttle_; }

 private:
  void SaveFailures();

  const AuthenticationParts parts_;
  FactorStore factors_;
  RecoveryCodes recovery_codes_;
  UserStore users_;
  SecondFactor second_factor_;
  PendingEnrollments pending_enrollments_;
  LoginThrottle throttle_;
  LoginFlow login_flow_;
  Reauthentication reauthentication_;
  std::optional<Ticker> saver_;  // last: uses the other members
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_WIRING_AUTHENTICATION_H_
