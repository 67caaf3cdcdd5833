// The two steps of a login, without the network: password, then second factor.
#ifndef CARME_BACKEND_IDENTITY_LOGIN_LOGIN_FLOW_H_
#define CARME_BACKEND_IDENTITY_LOGIN_LOGIN_FLOW_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "backend/identity/directory.h"
#include "backend/identity/factors/factor_policy.h"
#include "backend/identity/factors/second_factor.h"
#include "backend/identity/login/factor_first.h"
#include "backend/identity/login/login_challenges.h"
#include "backend/identity/login/login_concurrency.h"
#include "backend/identity/login/login_throttle.h"
#include "backend/identity/session/session_store.h"
#include "backend/identity/users/user_store.h"
#include "common/clock.h"

namespace carme::backend {

// The client of a login.
struct Client {
  std::string address;
  std::string user_agent;
};

// Details of one step for the audit log; never a secret.
struct LoginAuditDetail {
  std::string username;  // empty unless the directory has the user
  std::string reason;    // of the refusal; empty on success
};

struct PasswordAccepted {
  std::string challenge = {};
  // The second factor was verified too; no factor is offered.
  bool proved = false;
  // The factors of the account. If none is enrolled, the user must enroll one
  // of the following.
  FactorOffer offer = {};
  // Both empty unless a TOTP secret may be enrolled now.
  std::string new_secret = {};
  std::string otpauth_uri = {};
  // The challenge for the passkeys of the account or, without a factor, for a
  // new passkey; empty: neither.
  std::string passkey_challenge = {};
  // WebAuthn's user.id for a new passkey. Empty unless one may be enrolled now.
  std::string user_handle = {};
  std::string username = {};  // as spelled in the directory
  std::string display_name = {};
  // The next step requires a new password too.
  bool must_change = false;
  std::vector<std::string> password_rules = {};  // with must_change
  // From the directory, about the password; usually empty.
  std::string message = {};
};

struct FactorStep {
  FactorAnswer answer = {};
  // Required when the password must be changed.
  std::string old_password = {};
  std::string new_password = {};
};

struct LoggedIn {
  NewSession session;
  std::vector<std::string> recovery_codes = {};  // with the first factor
};

// Thread-safe; blocks for the directory and the disk. When all sessions of a
// user are ended, the challenges of the user are removed too.
//
// Errors may be shown to the client. UNAUTHENTICATED has one message for all
// kinds of wrong input. RESOURCE_EXHAUSTED: wait. UNAVAILABLE: the directory or
// the disk failed. INVALID_ARGUMENT and FAILED_PRECONDITION, only from
// CheckFactor: the new password was rejected; the challenge stays valid. The
// reason is in the audit detail.
class LoginFlow {
 public:
  struct Parts {
    Directory* directory;
    SecondFactor* factor;
    const FactorsConfig* policy;
    UserStore* users;
    SessionStore* sessions;  // whose OnEndAll this takes
    LoginThrottle* throttle;
    const Clock* clock;
    std::string issuer;  // in the QR code
  };
  explicit LoginFlow(Parts parts);

  // The attempt of the first and the second step. Checks nothing.
  LoginAttempt AttemptForUser(std::string_view username,
                              const Client& client) const;
  LoginAttempt AttemptForChallenge(const std::string& challenge,
                                   const Client& client);

  absl::StatusOr<PasswordAccepted> CheckPassword(std::string_view username,
                                                 std::string_view password,
                                                 const Client& client,
                                                 LoginAuditDetail* note);
  // Checks the second factor first, then the password. May be called at any
  // time, and must be called when FactorFirstWait() has a value for the status
  // of CheckPassword.
  absl::StatusOr<PasswordAccepted> CheckBoth(std::string_view username,
                                             std::string_view password,
                                             const FactorFirstAnswer& first,
                                             const Client& client,
                                             LoginAuditDetail* note);
  // The challenge that a passkey signs for CheckBoth.
  std::string NewFactorFirstChallenge() const {
    return factor_first_.NewChallenge();
  }

  absl::StatusOr<LoggedIn> CheckFactor(const std::string& challenge,
                                       const FactorStep& step,
                                       const Client& client,
                                       LoginAuditDetail* note);

 private:
  absl::Status TryPassword(std::string_view username, const Client& client,
                           LoginAuditDetail* note);
  // Checks the password in the directory. Refunds the counted attempt unless
  // the password was wrong.
  absl::StatusOr<PasswordCheck> AskDirectory(std::string_view username,
                                             std::string_view password,
                                             const Client& client, Guess guess,
                                             LoginAuditDetail* note);
  absl::StatusOr<PasswordAccepted> OpenChallenge(const PasswordCheck& check,
                                                 std::string_view typed,
                                                 const Client& client,
                                                 LoginAuditDetail* note);
  // Fills in the part about the next factor.
  absl::Status OfferFactors(const Person& person, PasswordAccepted* accepted);
  // Stores the challenge and sets its id.
  void StoreChallenge(const PasswordCheck& check, std::string_view typed,
                      const Client& client, PasswordAccepted* accepted);
  // Offers enrollment to an account without a factor. FAILED_PRECONDITION: the
  // site's rules allow no factor.
  absl::Status OfferEnrollment(const Person& person,
                               PasswordAccepted* accepted);
  // Verifies or enrolls the factor; returns the recovery codes of an
  // enrollment.
  absl::StatusOr<std::vector<std::string>> VerifyFactor(
      const Challenge& challenge, const FactorAnswer& answer,
      const Client& client);
  // Verifies the factor, changes the password if required, and updates the
  // challenge.
  absl::StatusOr<std::vector<std::string>> UseChallenge(
      const std::string& id, const Challenge& challenge, const FactorStep& step,
      const Client& client, LoginAuditDetail* note);
  // Begins the session and removes the challenge.
  absl::StatusOr<LoggedIn> Finish(const std::string& id,
                                  const Challenge& challenge,
                                  const Client& client, LoginAuditDetail* note);
  absl::StatusOr<LoggedIn> BeginSession(const Person& person,
                                        const Client& client,
                                        LoginAuditDetail* note);
  const Parts parts_;
  LoginChallenges challenges_;
  FactorFirst factor_first_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_LOGIN_LOGIN_FLOW_H_
