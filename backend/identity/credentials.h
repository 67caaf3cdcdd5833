// Sessions and access tokens as one: whatever a call may show to say who it is
// from. A session is a person at a browser; an access token acts for its owner
// as long as the site's directory lets the owner in.
#ifndef CARME_BACKEND_IDENTITY_CREDENTIALS_H_
#define CARME_BACKEND_IDENTITY_CREDENTIALS_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "backend/identity/access_tokens.h"
#include "backend/identity/session.h"
#include "backend/identity/sqlite_sessions.h"
#include "backend/identity/standing.h"
#include "common/clock.h"

namespace carme {

// Thread-safe. Authenticate waits for nothing with a session; with an access
// token it waits for the directory when that was not asked for some minutes.
class Credentials : public Sessions {
 public:
  // For so long the directory must say that it does not let somebody in before
  // their tokens, which cannot be had again, are revoked. They are refused from
  // the first no on.
  static constexpr absl::Duration kGone = absl::Hours(24);

  // How many of whose sessions and tokens ended, because the directory does not
  // let them in any more.
  struct Departure {
    Uid uid;
    std::string username;
    int sessions = 0;
    int tokens = 0;
  };
  struct Parts {
    SqliteSessions* sessions;
    AccessTokens* tokens;
    Standing* standing;
    const Clock* clock;
    std::function<void(const Departure&)> on_departure;  // any thread
  };
  // All parts outlive the object.
  explicit Credentials(Parts parts);

  // The session of an access token has an id "token-…", its scopes, its owner's
  // role of today, and an end that is at most kLongestUse away. Beside
  // UNAUTHENTICATED: PERMISSION_DENIED: a scope is above that role;
  // UNAVAILABLE: the directory has been away for too long.
  absl::StatusOr<Session> Authenticate(
      std::string_view token, std::string_view client_address) override;
  absl::Status Refresh(const SessionId& id, absl::Time until) override;
  absl::Status End(const SessionId& id) override;
  bool IsLive(const SessionId& id) override;
  std::vector<EndedSession> Ended() override;
  void OnEnd(std::function<void(const EndedSession&)> listener) override;

  // Ends what the person has, of both kinds.
  Departure EndAllOf(Uid person, const std::string& username);

  // Call every few seconds: ends the idle ones, tells the disk.
  void Sweep();
  // Asks the directory about everybody with a live session and about whoever
  // used a token lately: who left loses the sessions at once and the tokens
  // after kGone, a new role counts from now on. A directory that is away
  // changes nothing. Blocks; call every minute.
  void Recheck();

 private:
  absl::StatusOr<Session> AuthenticateScript(std::string_view secret,
                                             std::string_view client_address);
  void Recheck(Uid uid, const std::string& username);
  // The directory's last word is that this is not, or not any more, theirs.
  void Depart(Uid uid, const std::string& username);

  const Parts parts_;
};

}  // namespace carme

#endif  // CARME_BACKEND_IDENTITY_CREDENTIALS_H_
