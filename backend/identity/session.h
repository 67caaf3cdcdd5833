// A person who is logged in.
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

// What a uid is until somebody is known: no account can have it.
inline const Uid kNoUid{std::numeric_limits<uint32_t>::max()};

struct Session {
  SessionId id;  // public: stands in logs and grants; not the token
  std::string username;
  std::string display_name;
  Uid uid = kNoUid;
  Role role = Role::kUser;
  absl::Time created_at;
  absl::Time expires_at;  // absolute
  // Until then a second factor counts as proved just now.
  absl::Time fresh_until = absl::InfinitePast();
  // What an access token may do, e.g. "jobs:read". Empty: this is no access
  // token but a session, which may do all that its role may.
  std::vector<std::string> scopes{};
};

// Whether a person is calling, or a script whose access token has one of these
// scopes.
inline bool HasAnyScope(const Session& session,
                        std::initializer_list<std::string_view> scopes) {
  if (session.scopes.empty()) return true;
  return std::any_of(scopes.begin(), scopes.end(), [&](std::string_view scope) {
    return std::find(session.scopes.begin(), session.scopes.end(), scope) !=
           session.scopes.end();
  });
}

// The role by which a caller reads what belongs to others. Support and
// administrators read everything; a script of theirs does only if its token has
// one of these scopes.
inline Role ReadingRole(const Session& session,
                        std::initializer_list<std::string_view> scopes) {
  const bool reads = !ReadsEverything(session.role) ||
                     HasAnyScope(session, scopes);
  return reads ? session.role : Role::kUser;
}

// A session that ended before its absolute expiry; its grants may still live.
struct EndedSession {
  SessionId id;
  absl::Time forget_after;
};

// Of a refusal by Sessions::Authenticate: whose valid credential was refused,
// "<session id> <uid> <username>". For the audit log, never for the client.
inline constexpr char kRefusedOwnerPayload[] = "carme/refused-owner";

// Thread-safe.
class Sessions {
 public:
  virtual ~Sessions() = default;
  // UNAUTHENTICATED: no such token, idle for too long, or expired. A call with
  // a live token counts as use, from `client_address` unless that is empty.
  virtual absl::StatusOr<Session> Authenticate(
      std::string_view token, std::string_view client_address) = 0;
  // A second factor was proved: fresh until `until`. UNAUTHENTICATED: the
  // session is over; an error of the disk: not refreshed.
  virtual absl::Status Refresh(const SessionId& id, absl::Time until) = 0;
  // Ends it; OK when it is over already.
  virtual absl::Status End(const SessionId& id) = 0;
  virtual bool IsLive(const SessionId& id) = 0;
  // Every session that ended early and is not past its absolute expiry.
  virtual std::vector<EndedSession> Ended() = 0;
  // Called for each session that ends early (log-out, idle), from any thread.
  // Set before serving.
  virtual void OnEnd(std::function<void(const EndedSession&)> listener) = 0;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_SESSION_H_
