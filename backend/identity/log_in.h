// The two steps of a log-in, without the network: password, then a second
// factor.
#ifndef CARME_BACKEND_IDENTITY_LOG_IN_H_
#define CARME_BACKEND_IDENTITY_LOG_IN_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "backend/identity/challenges.h"
#include "backend/identity/directory.h"
#include "backend/identity/early_factor.h"
#include "backend/identity/factor_policy.h"
#include "backend/identity/log_in_places.h"
#include "backend/identity/people.h"
#include "backend/identity/second_factor.h"
#include "backend/identity/sqlite_sessions.h"
#include "backend/identity/throttle.h"
#include "common/clock.h"

namespace carme::backend {

// Where a log-in comes from.
struct Client {
  std::string address;
  std::string user_agent;
};

// What an administrator may read in the log about one step; never a secret.
struct LogInNote {
  std::string username;  // empty unless the directory knows the person
  std::string reason;    // why not; empty when it went well
};

struct PasswordAccepted {
  std::string challenge = {};
  // The second factor was right too; nothing is offered.
  bool proved = false;
  // What the account has. Nothing enrolled: it must enrol what follows.
  FactorOffer offer = {};
  // Both empty unless a TOTP secret may be enrolled now.
  std::string new_secret = {};
  std::string otpauth_uri = {};
  // For the account's passkeys to sign, or, without a factor, for a new one to
  // be made for; empty: neither.
  std::string passkey_challenge = {};
  // Of a new passkey: whose it will be. Empty unless one may be enrolled now.
  std::string user_handle = {};
  std::string username = {};  // as the directory has it
  std::string display_name = {};
  // The next step needs a new password too.
  bool must_change = false;
  std::vector<std::string> password_rules = {};  // with must_change
  // The directory's, about the password; mostly empty.
  std::string message = {};
};

struct FactorStep {
  FactorAnswer answer = {};
  // Needed when the directory wants a new password.
  std::string old_password = {};
  std::string new_password = {};
};

struct LoggedIn {
  NewSession session;
  std::vector<std::string> recovery_codes = {};  // with the first factor
};

// Thread-safe; blocks for the directory and the disk. When all sessions of a
// person are ended, what they have begun here is over too.
//
// The errors are what the client may see. UNAUTHENTICATED is one sentence for
// everything that can be wrong with what was typed. RESOURCE_EXHAUSTED: wait.
// UNAVAILABLE: the directory or the disk gave no answer. INVALID_ARGUMENT and
// FAILED_PRECONDITION, from CheckFactor alone: the new password was refused;
// the challenge is still good. The reason is in the note.
class LogIn {
 public:
  struct Parts {
    Directory* directory;
    SecondFactor* factor;
    const FactorsConfig* policy;
    People* people;
    SqliteSessions* sessions;  // whose OnEndAll this takes
    Throttle* throttle;
    const Clock* clock;
    std::string issuer;  // in the QR code
  };
  explicit LogIn(Parts parts);

  // Who is at the first step, and at the second, without checking anything.
  Claimant WhoTypes(std::string_view username, const Client& client) const;
  Claimant WhoHolds(const std::string& challenge, const Client& client);

  absl::StatusOr<PasswordAccepted> CheckPassword(std::string_view username,
                                                 std::string_view password,
                                                 const Client& client,
                                                 LogInNote* note);
  // The same with the second factor, which is checked before the password is
  // looked at. This may be called at any time, and must be when CheckPassword
  // refuses and FactorFirst tells so of its answer.
  absl::StatusOr<PasswordAccepted> CheckBoth(std::string_view username,
                                             std::string_view password,
                                             const EarlyAnswer& early,
                                             const Client& client,
                                             LogInNote* note);
  // For a passkey to sign for CheckBoth.
  std::string NewEarlyChallenge() const { return early_.NewChallenge(); }

  absl::StatusOr<LoggedIn> CheckFactor(const std::string& challenge,
                                       const FactorStep& step,
                                       const Client& client, LogInNote* note);

 private:
  absl::Status TryPassword(std::string_view username, const Client& client,
                           LogInNote* note);
  // Asks the directory. The guess was counted, and is given back if it was
  // none.
  absl::StatusOr<PasswordCheck> AskDirectory(std::string_view username,
                                             std::string_view password,
                                             const Client& client, Guess guess,
                                             LogInNote* note);
  absl::StatusOr<PasswordAccepted> OpenChallenge(const PasswordCheck& check,
                                                 std::string_view typed,
                                                 const Client& client,
                                                 LogInNote* note);
  // The part of it for the factor that comes next.
  absl::Status OfferFactors(const Person& person, PasswordAccepted* accepted);
  // Gives it a name and keeps it.
  void Keep(const PasswordCheck& check, std::string_view typed,
            const Client& client, PasswordAccepted* accepted);
  // What an account without a factor may enrol. FAILED_PRECONDITION: nothing.
  absl::Status OfferEnrolment(const Person& person, PasswordAccepted* accepted);
  // Proves or enrols the factor; gives the codes of an enrolment.
  absl::StatusOr<std::vector<std::string>> Prove(const Challenge& challenge,
                                                 const FactorAnswer& answer,
                                                 const Client& client);
  // Both parts of the second step, and what becomes of the challenge.
  absl::StatusOr<std::vector<std::string>> UseChallenge(
      const std::string& id, const Challenge& challenge, const FactorStep& step,
      const Client& client, LogInNote* note);
  // Begins the session of a challenge that was answered, and closes that.
  absl::StatusOr<LoggedIn> Finish(const std::string& id,
                                  const Challenge& challenge,
                                  const Client& client, LogInNote* note);
  absl::StatusOr<LoggedIn> BeginSession(const Person& person,
                                        const Client& client, LogInNote* note);
  const Parts parts_;
  Challenges challenges_;
  EarlyFactor early_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_LOG_IN_H_
