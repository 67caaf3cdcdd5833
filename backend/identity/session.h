// A logged-in user, and the interface of the session store.
#ifndef CARME_BACKEND_IDENTITY_SESSION_H_
#define CARME_BACKEND_IDENTITY_SESSION_H_

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/identity/role.h"
#include "common/ids.h"

namespace carme::backend {

// No account has this uid; the value until a user is known.
inline const Uid kNoUid{std::numeric_limits<uint32_t>::max()};

struct Session {
  SessionId id;  // public, in logs and grants; not the token
  std::string username;
  std::string display_name;
  Uid uid = kNoUid;
  Role role = Role::kUser;
  absl::Time created_at;
  absl::Time expires_at;  // absolute
  // Until then the session counts as re-authenticated.
  absl::Time reauthenticated_until = absl::InfinitePast();
  // The scopes of an access token, e.g. "jobs:read". Empty: a session of a
  // person, which has all permissions of its role.
  std::vector<std::string> scopes{};
};

// Whether the caller is a person, or a script with one of these scopes.
inline bool HasAnyScope(const Session& session,
                        std::initializer_list<std::string_view> scopes) {
  if (session.scopes.empty()) return true;
  return std::any_of(scopes.begin(), scopes.end(), [&](std::string_view scope) {
    return std::find(session.scopes.begin(), session.scopes.end(), scope) !=
           session.scopes.end();
  });
}

// The role by which a caller reads other users' data. Support and
// administrators read everything; their scripts only with one of these scopes.
inline Role ReadingRole(const Session& session,
                        std::initializer_list<std::string_view> scopes) {
  const bool reads =
      !ReadsEverything(session.role) || HasAnyScope(session, scopes);
  return reads ? session.role : Role::kUser;
}

// A session that ended before its expiry; its grants may still be live.
struct EndedSession {
  SessionId id;
  absl::Time forget_after;
};

// Payload of an error of Sessions::Authenticate: the owner of a valid but
// refused credential, "<session id> <uid> <username>". For the audit log only.
inline constexpr char kRefusedOwnerPayload[] = "carme/refused-owner";

// Thread-safe.
class Sessions {
 public:
  virtual ~Sessions() = default;
  // UNAUTHENTICATED: token not found, idle for too long, or expired. A call
  // with a live token counts as use, from `client_address` unless that is
  // empty.
  virtual absl::StatusOr<Session> Authenticate(
      std::string_view token, std::string_view client_address) = 0;
  // Records a re-authentication that is valid until `until`. UNAUTHENTICATED:
  // the session has ended; an error of the disk: not recorded.
  virtual absl::Status Refresh(const SessionId& id, absl::Time until) = 0;
  // Ends the session; OK if it has ended already.
  virtual absl::Status End(const SessionId& id) = 0;
  virtual bool IsLive(const SessionId& id) = 0;
  // Every session that ended early and is not past its expiry.
  virtual std::vector<EndedSession> Ended() = 0;
  // Called for each session that ends early (logout, idle), from any thread.
  // Set before serving.
  virtual void OnEnd(std::function<void(const EndedSession&)> listener) = 0;
  // Whether apps may be opened: the ends of sessions are received without
  // delay. UNAVAILABLE; the message is for the user.
  virtual absl::Status CheckGrants() { return absl::OkStatus(); }
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_SESSION_H_
