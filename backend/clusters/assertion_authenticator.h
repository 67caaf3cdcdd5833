// Authenticates calls at the backend of a further cluster: by an assertion of
// the identity backend, and this cluster's own directory, which has the user's
// uid, groups and role.
#ifndef CARME_BACKEND_CLUSTERS_ASSERTION_AUTHENTICATOR_H_
#define CARME_BACKEND_CLUSTERS_ASSERTION_AUTHENTICATOR_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "backend/clusters/assertion.h"
#include "backend/identity/session.h"
#include "backend/identity/session/directory_cache.h"
#include "common/clock.h"

namespace carme::backend {

// Thread-safe.
//
// 1. A session that the identity backend ended is refused from then on, even
//    with an assertion that has not expired.
// 2. Apps are opened only while the ends of sessions are received.
class AssertionAuthenticator : public Sessions {
 public:
  // Without a message of the identity backend for this long no app is opened.
  static constexpr absl::Duration kMaxSilence = absl::Minutes(2);

  struct Parts {
    AssertionVerifier verifier;
    DirectoryCache* directory_cache;
    const Clock* clock;
    // Records a user at the first call of a session. Its error refuses the
    // call. Any thread.
    std::function<absl::Status(const Person&)> on_first_use;
  };
  // Pointers must outlive the object.
  explicit AssertionAuthenticator(Parts parts);

  // `assertion` is the text of AssertionSigner. UNAUTHENTICATED: the assertion
  // is not accepted, or its session has ended; PERMISSION_DENIED: the directory
  // does not allow the user; UNAVAILABLE: the directory does not respond.
  // Blocks for the directory if its last answer about the user is older than
  // DirectoryCache::kFreshFor.
  absl::StatusOr<Session> Authenticate(std::string_view assertion,
                                       std::string_view client_address) override
      ABSL_LOCKS_EXCLUDED(mutex_);
  // FAILED_PRECONDITION: only the identity backend changes sessions.
  absl::Status Refresh(const SessionId& id, absl::Time until) override;
  absl::Status End(const SessionId& id) override;
  // Of a session that was used here.
  bool IsLive(const SessionId& id) override ABSL_LOCKS_EXCLUDED(mutex_);
  std::vector<EndedSession> Ended() override ABSL_LOCKS_EXCLUDED(mutex_);
  // Called for every end, also of sessions that were not used here: after a
  // restart their apps may still be open.
  void OnEnd(std::function<void(const EndedSession&)> listener) override;
  // Called when an end is undone. Set before serving.
  void OnRestored(std::function<void(const SessionId&)> listener);
  // UNAVAILABLE: no message of the identity backend for kMaxSilence, or none
  // since the start.
  absl::Status CheckGrants() override ABSL_LOCKS_EXCLUDED(mutex_);

  // Applies a message of the identity backend, of which a missing session ends
  // nothing and restores nothing.
  void Apply(const std::vector<EndedSession>& ended,
             const std::vector<SessionId>& restored)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // When the last message arrived; InfinitePast: never.
  absl::Time last_message_at() const ABSL_LOCKS_EXCLUDED(mutex_);
  // Looks up the users of all sessions that were used here. Ends the sessions
  // of those that the directory no longer allows until it allows them again.
  // Changes nothing while the directory is unavailable. Blocks; call every
  // minute.
  void Recheck() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct UsedSession {
    std::string username;
    Uid uid = kNoUid;
    absl::Time expires_at;
    bool is_denied = false;  // by the directory
  };

  absl::Status NotAllowed() const;
  // PERMISSION_DENIED; UNAVAILABLE.
  absl::StatusOr<Person> LookUp(const std::string& username);
  // Records that the directory allows or denies the user of a session.
  void SetDenied(const SessionId& id, bool is_denied)
      ABSL_LOCKS_EXCLUDED(mutex_);

  const Parts parts_;
  std::function<void(const EndedSession&)> end_listener_;
  std::function<void(const SessionId&)> restore_listener_;
  mutable absl::Mutex mutex_;
  absl::flat_hash_map<SessionId, UsedSession> used_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<SessionId, absl::Time> ended_ ABSL_GUARDED_BY(mutex_);
  absl::Time last_message_at_ ABSL_GUARDED_BY(mutex_) = absl::InfinitePast();
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_CLUSTERS_ASSERTION_AUTHENTICATOR_H_
