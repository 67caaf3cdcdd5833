// Sessions and access tokens as one: whatever a call may show to say who it is
// from. A session is a person at a browser; an access token acts for its owner
// as long as the site's directory lets the owner in.
#ifndef CARME_BACKEND_IDENTITY_CREDENTIALS_H_
#define CARME_BACKEND_IDENTITY_CREDENTIALS_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "backend/identity/access_tokens.h"
#include "backend/identity/session.h"
#include "backend/identity/sqlite_sessions.h"
#include "backend/identity/standing.h"
#include "common/clock.h"

namespace carme::backend {

// Thread-safe. No call waits for the directory or the disk: the directory is
// asked behind, in time for everybody who may come (Recheck).
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
    int suspended = 0;  // tokens, until the directory says otherwise
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
  // UNAVAILABLE: the directory has been away for too long, or was not asked
  // about the owner since the start; it will be, within a second.
  absl::StatusOr<Session> Authenticate(
      std::string_view token, std::string_view client_address) override;
  absl::Status Refresh(const SessionId& id, absl::Time until) override;
  absl::Status End(const SessionId& id) override;
  bool IsLive(const SessionId& id) override;
  std::vector<EndedSession> Ended() override;
  void OnEnd(std::function<void(const EndedSession&)> listener) override;
  // Called when what had ended goes on: the directory lets the owner of a token
  // in again. Set before serving.
  void OnReturn(std::function<void(const SessionId&)> listener);

  // Ends what the person has, of both kinds.
  Departure EndAllOf(Uid person, const std::string& username);

  // Call every few seconds: ends the idle ones, tells the disk.
  void Sweep();
  // Asks the directory about everybody with a live session or access token: who
  // left loses the sessions at once and the tokens after kGone, until when they
  // are suspended, with what they opened; a new role counts from now on. A
  // directory that is away changes nothing. Blocks; call every minute.
  void Recheck();
  // The same for those whose token was refused for want of a word. Blocks; call
  // every second.
  void RecheckWanted() ABSL_LOCKS_EXCLUDED(mutex_);
  // The same for one. UNAUTHENTICATED: they are not let in; UNAVAILABLE: the
  // directory does not say. In words for the person. Blocks.
  absl::Status Recheck(Uid uid, const std::string& username);

 private:
  absl::StatusOr<Session> AuthenticateScript(std::string_view secret,
                                             std::string_view client_address);
  // The token cannot be admitted by what is known of its owner.
  void Want(const AccessToken& token) ABSL_LOCKS_EXCLUDED(mutex_);
  // The directory's last word is that this is not, or not any more, theirs.
  void Depart(Uid uid, const std::string& username);

  const Parts parts_;
  absl::Mutex mutex_;
  absl::flat_hash_map<uint32_t, std::string> wanted_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_CREDENTIALS_H_
