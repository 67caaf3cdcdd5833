// Sessions on SQLite. What lives is held in memory too, so that a call is
// checked without the disk and a log-out counts from the next call on.
#ifndef CARME_BACKEND_IDENTITY_SQLITE_SESSIONS_H_
#define CARME_BACKEND_IDENTITY_SQLITE_SESSIONS_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "backend/identity/directory.h"
#include "backend/identity/identity_config.h"
#include "backend/identity/session.h"
#include "backend/identity/session_table.h"
#include "backend/store/database.h"
#include "common/clock.h"

namespace carme::backend {

struct NewSession {
  Session session;
  std::string token;  // 256 random bits, base64url; known here only now
};

// One of a person's sessions, as they would recognize it.
struct SessionUse {
  Session session;
  std::string device;   // "Firefox on Linux"
  std::string address;  // where it logged in from
  std::string last_address;
  absl::Time used_at;
};

// Thread-safe.
//
// 1. The disk holds the SHA-256 of a token, never the token.
// 2. A session is on the disk before its token is given out.
// 3. A session that was ended stays ended while this process lives, even when
//    the disk could not be told; Sweep tells it later.
// 4. The disk's `used_at` is at most kUseWritten and a Sweep behind: a crash
//    can only shorten a session. No call waits for the disk.
class SqliteSessions : public Sessions {
 public:
  static constexpr absl::Duration kUseWritten = absl::Minutes(1);
  // The one used longest ago makes room for one more.
  static constexpr size_t kMostPerUser = 16;

  // Reads the sessions that live. All three pointers outlive the object.
  static absl::StatusOr<std::unique_ptr<SqliteSessions>> Load(
      Database* database, const Clock* clock, const SessionsConfig* config);

  // RESOURCE_EXHAUSTED: the disk is full; ABORTED: all sessions of the person
  // were ended meanwhile; else the database's errors.
  absl::StatusOr<NewSession> Begin(const Person& person,
                                   std::string_view client_address,
                                   std::string_view user_agent)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Ends what was idle for too long, forgets what is past its expiry, and
  // tells the disk. Call every few seconds.
  void Sweep() ABSL_LOCKS_EXCLUDED(mutex_);

  // The person's live ones, the one used last first.
  std::vector<SessionUse> Of(Uid person) ABSL_LOCKS_EXCLUDED(mutex_);
  // Everybody who has a live session, once.
  std::vector<Person> Owners() ABSL_LOCKS_EXCLUDED(mutex_);
  // Ends the person's but `kept`, which may be nobody's; how many. Who is in
  // the middle of a log-in begins anew.
  int EndAllOf(Uid person, const SessionId& kept = {})
      ABSL_LOCKS_EXCLUDED(mutex_);
  // What the directory was asked about the person at `asked_at`: a role counts
  // from the next call on, in the sessions that were there then. A log-in
  // since has asked later.
  void SetRole(Uid person, Role role, absl::Time asked_at)
      ABSL_LOCKS_EXCLUDED(mutex_);

  absl::StatusOr<Session> Authenticate(std::string_view token,
                                       std::string_view client_address) override
      ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status Refresh(const SessionId& id, absl::Time until) override
      ABSL_LOCKS_EXCLUDED(mutex_);
  // An error means that the disk does not know yet; the session is over.
  absl::Status End(const SessionId& id) override ABSL_LOCKS_EXCLUDED(mutex_);
  bool IsLive(const SessionId& id) override ABSL_LOCKS_EXCLUDED(mutex_);
  std::vector<EndedSession> Ended() override ABSL_LOCKS_EXCLUDED(mutex_);
  void OnEnd(std::function<void(const EndedSession&)> listener) override
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Called by EndAllOf before the sessions end, from any thread. Set before
  // serving.
  void OnEndAll(std::function<void(Uid)> listener);

 private:
  struct Live {
    SessionRow row;
    absl::Time written_at;  // the `used_at` on the disk
  };
  struct Dead {
    absl::Time ended_at;
    absl::Time forget_after;
    bool written = false;
  };
  SqliteSessions(Database* database, const Clock* clock,
                 const SessionsConfig* config);
  absl::Status Read();
  bool IsOver(const Live& live, absl::Time now) const;
  // Its token works only after by_hash_ has it, too.
  void Add(SessionRow row) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Moves it to the dead ones.
  EndedSession Kill(const SessionId& id, absl::Time now)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::vector<SessionId> TooMany(Uid person) ABSL_LOCKS_EXCLUDED(mutex_);
  std::vector<SessionId> Idle(absl::Time now) ABSL_LOCKS_EXCLUDED(mutex_);
  void Forget(absl::Time now) ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status WriteUses() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::Status WriteEnds() ABSL_LOCKS_EXCLUDED(mutex_);

  SessionTable table_;
  const Clock& clock_;
  const SessionsConfig& config_;
  std::function<void(const EndedSession&)> listener_;
  std::function<void(Uid)> end_all_listener_;
  absl::Mutex mutex_;
  absl::flat_hash_map<SessionId, Live> live_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<std::string, SessionId> by_hash_ ABSL_GUARDED_BY(mutex_);
  absl::flat_hash_map<SessionId, Dead> dead_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_SQLITE_SESSIONS_H_
