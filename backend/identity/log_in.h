// The two steps of a log-in, without the network: password, then code.
#ifndef CARME_BACKEND_IDENTITY_LOG_IN_H_
#define CARME_BACKEND_IDENTITY_LOG_IN_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "backend/identity/challenges.h"
#include "backend/identity/directory.h"
#include "backend/identity/factor_store.h"
#include "backend/identity/sqlite_sessions.h"
#include "backend/identity/throttle.h"
#include "backend/identity/username.h"
#include "common/clock.h"

namespace carme {

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
  std::string challenge;
  // Both empty when the account has a factor already.
  std::string new_secret;
  std::string otpauth_uri;
};

// Thread-safe; blocks for the directory and the disk.
//
// The errors are what the client may see. UNAUTHENTICATED is one sentence for
// everything that can be wrong with what was typed. RESOURCE_EXHAUSTED: wait.
// UNAVAILABLE: the directory or the disk gave no answer. The reason is in the
// note.
class LogIn {
 public:
  struct Parts {
    Directory* directory;
    FactorStore* factors;
    SqliteSessions* sessions;
    const Clock* clock;
    std::string issuer;  // in the QR code
  };
  explicit LogIn(Parts parts);

  absl::StatusOr<PasswordAccepted> CheckPassword(std::string_view username,
                                                 std::string_view password,
                                                 const Client& client,
                                                 LogInNote* note);
  absl::StatusOr<NewSession> CheckCode(const std::string& challenge,
                                       std::string_view code,
                                       const Client& client, LogInNote* note);

 private:
  absl::StatusOr<PasswordAccepted> OpenChallenge(const Person& person,
                                                 LogInNote* note);
  absl::Status UseCode(const std::string& id, const Challenge& challenge,
                       std::string_view code, LogInNote* note);
  const Parts parts_;
  Throttle throttle_;
  Challenges challenges_;
};

}  // namespace carme

#endif  // CARME_BACKEND_IDENTITY_LOG_IN_H_
