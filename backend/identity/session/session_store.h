// Sessions on SQLite. What lives is held in memory too, so that a call is
// checked without the disk and a logout counts from the next call on.
#ifndef CARME_BACKEND_IDENTITY_SESSION_SESSION_STORE_H_
#define CARME_BACKEND_IDENTITY_SESSION_SESSION_STORE_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "backend/identity/person.h"
#include "backend/identity/session.h"
#include "backend/identity/session/session_config.h"
#include "backend/identity/session/session_table.h"
#include "backend/store/database.h"
#include "common/clock.h"

namespace carme::backend {

struct NewSession {
  Session session;
  std::string token;  // 256 random bits, base64url; known here only now
};

// A session as shown to its owner.
struct SessionUse {
  Session session;
  std::string device;   // "Firefox on Linux"
  std::string address;  // of the login
  std::string last_address;
  absl::Time used_at;
};

// Thread-safe.
//
// 1. The disk holds the SHA-256 of a token, never the token.
// 2. A session is on the disk before its token is given out.
// 3. An ended session stays ended while this process lives, even if the disk
//    failed; Sweep writes the end later.
// 4. The disk's `used_at` is at most kUseWritten and a Sweep behind: a crash
//    can only shorten a session. No authentication waits for the disk.
class SessionStore : public Sessions {
 public:
  static constexpr absl::Duration kUseWritten = absl::Minutes(1);
  // Beyond this the least recently used session ends.
  static constexpr size_t kMaxPerUser = 16;

  // Reads the live sessions. All three pointers must outlive the object.
  static absl::StatusOr<std::unique_ptr<SessionStore>> Load(
      Database* database, const Clock* clock, const SessionsConfig* config);

  // RESOURCE_EXHAUSTED: the disk is full; ABORTED: all sessions of the user
  // were ended meanwhile; otherwise the errors of the database.
  absl::StatusOr<NewSession> Begin(const Person& person,
                                   std::string_view client_address,
                                   std::string_view user_agent)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Ends idle sessions, deletes expired ones, and writes changes to the disk.
  // Call every few seconds.
  void Sweep() ABSL_LOCKS_EXCLUDED(mutex_);

  // The live sessions of the user, the most recently used first.
  std::vector<SessionUse> Of(Uid person) ABSL_LOCKS_EXCLUDED(mutex_);
  size_t LiveCount() ABSL_LOCKS_EXCLUDED(mutex_);
  // All users with a live session.
  std::vector<Person> Owners() ABSL_LOCKS_EXCLUDED(mutex_);
  // Ends all sessions of the user except `kept`, and logins in progress.
  // Returns how many ended.
  int EndAllOf(Uid person, const SessionId& kept = {})
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Applies the role from a directory lookup at `asked_at` to the sessions that
  // existed then. Later logins have newer information.
  void SetRole(Uid person, Role role, absl::Time asked_at)
      ABSL_LOCKS_EXCLUDED(mutex_);

  absl::StatusOr<Session> Authenticate(std::string_view token,
                                       std::string_view client_address) override
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status Refresh(const SessionId& id, absl::Time until) override
      ABSL_LOCKS_EXCLUDED(mutex_);
  // An error means that the end is not yet on the disk; the session has ended.
  absl::Status End(const SessionId& id) override ABSL_LOCKS_EXCLUDED(mutex_);
  bool IsLive(const SessionId& id) override ABSL_LOCKS_EXCLUDED(mutex_);
  std::vector<EndedSession> Ended() override ABSL_LOCKS_EXCLUDED(mutex_);
  void OnEnd(std::function<void(const EndedSession&)> listener) override
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Called by EndAllOf before the sessions end, from any thread. Set before
  // serving.
  void OnEndAll(std::function<void(Uid)> listener);

 private:
  struct LiveEntry {
    SessionRow row;
    absl::Time written_at;    // the `used_at` on the disk
    bool is_inserted = true;  // its row is on the disk
  };
  struct EndedEntry {
    absl::Time ended_at;
    absl::Time forget_after;
    // Whether the session's row is on the disk; its end is written only then.
    bool is_inserted = true;
    bool written = false;
  };
  SessionStore(Database* database, const Clock* clock,
               const SessionsConfig* config);
  absl::Status Read();
  bool HasExpired(const LiveEntry& live, absl::Time now) const;
  // The token is valid only after it is in by_hash_ too.
  void Add(SessionRow row, bool is_inserted)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Moves it to ended_.
  EndedSession MoveToEnded(const SessionId& id, absl::Time now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::vector<SessionId> TooMany(Uid person) ABSL_LOCKS_EXCLUDED(mutex_);
  std::vector<SessionId> Idle(absl::Time now) ABSL_LOCKS_EXCLUDED(mutex_);
  void DeleteExpired(absl::Time now) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status WriteUses() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status WriteEnds() ABSL_LOCKS_EXCLUDED(mutex_);

  SessionTable table_;
  const Clock& clock_;
  const SessionsConfig& config_;
  std::function<void(const EndedSession&)> listener_;
  std::function<void(Uid)> end_all_listener_;
  absl::Mutex mutex_;
  absl::flat_hash_map<SessionId, LiveEntry> live_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, SessionId> by_hash_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<SessionId, EndedEntry> ended_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_SESSION_SESSION_STORE_H_
