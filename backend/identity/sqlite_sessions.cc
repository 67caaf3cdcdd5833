#include "backend/identity/sqlite_sessions.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/encoding.h"
#include "common/hash.h"
#include "common/log.h"
#include "common/random.h"
#include "common/status.h"

namespace carme {
namespace {

constexpr int kTokenBytes = 32;
constexpr int kIdBytes = 12;

absl::Status NotLoggedIn() {
  return absl::UnauthenticatedError("not logged in, or no longer");
}

Session SessionOf(const Statement& row) {
  return Session{.id = SessionId(row.Text(0)),
                 .username = row.Text(2),
                 .display_name = row.Text(3),
                 .uid = Uid(static_cast<uint32_t>(row.Int(4))),
                 .role = RoleNamed(row.Text(5)),
                 .created_at = absl::FromUnixMicros(row.Int(6)),
                 .expires_at = absl::FromUnixMicros(row.Int(8)),
                 .fresh_until = absl::FromUnixMicros(row.Int(10))};
}

}  // namespace

SqliteSessions::SqliteSessions(Database* database, const Clock* clock,
                               const SessionsConfig* config)
    : database_(*database),
      clock_(*clock),
      config_(*config),
      listener_([](const EndedSession&) {}) {}

absl::StatusOr<std::unique_ptr<SqliteSessions>> SqliteSessions::Load(
    Database* database, const Clock* clock, const SessionsConfig* config) {
  std::unique_ptr<SqliteSessions> sessions(
      new SqliteSessions(database, clock, config));
  RETURN_IF_ERROR(sessions->Read());
  return sessions;
}

absl::Status SqliteSessions::Read() {
  return database_.Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(
        Statement row,
        db.Prepare("SELECT id, token_hash, username, display_name, uid, role, "
                   "created_at, used_at, expires_at, ended_at, fresh_until "
                   "FROM sessions "
                   "WHERE expires_at > ?1"));
    row.Bind(1, absl::ToUnixMicros(clock_.Now()));
    absl::MutexLock lock(&mutex_);
    while (true) {
      ASSIGN_OR_RETURN(const bool more, row.Step());
      if (!more) return absl::OkStatus();
      const Session session = SessionOf(row);
      if (row.IsNull(9)) {
        const absl::Time used = absl::FromUnixMicros(row.Int(7));
        Add({session, row.Blob(1), used, used});
      } else {
        dead_[session.id] = {absl::FromUnixMicros(row.Int(9)),
                             session.expires_at, true};
      }
    }
  });
}

bool SqliteSessions::IsOver(const Live& live, absl::Time now) const {
  return now >= live.session.expires_at ||
         now >= live.used_at + config_.idle_timeout;
}

void SqliteSessions::Add(Live live) {
  const SessionId id = live.session.id;
  by_hash_[live.token_hash] = id;
  live_[id] = std::move(live);
}

absl::StatusOr<NewSession> SqliteSessions::Begin(
    const Person& person, std::string_view client_address,
    std::string_view user_agent) {
  for (const SessionId& id : TooMany(person.username)) {
    RETURN_IF_ERROR(End(id));
  }
  const absl::Time now = clock_.Now();
  NewSession made;
  made.token = Base64UrlEncode(RandomBytes(kTokenBytes));
  made.session = {.id = SessionId(Base64UrlEncode(RandomBytes(kIdBytes))),
                  .username = person.username,
                  .display_name = person.display_name,
                  .uid = person.uid,
                  .role = person.role,
                  .created_at = now,
                  .expires_at = now + config_.absolute_timeout,
                  .fresh_until = now + config_.fresh_factor};
  const Live live{made.session, Sha256(made.token), now, now};
  RETURN_IF_ERROR(Write(live, client_address, user_agent));
  absl::MutexLock lock(&mutex_);
  Add(live);
  return made;
}

absl::Status SqliteSessions::Refresh(const SessionId& id, absl::Time until) {
  RETURN_IF_ERROR(database_.Transact([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(
        Statement write,
        db.Prepare("UPDATE sessions SET fresh_until=?2 WHERE id=?1"));
    return write.Bind(1, id.value()).Bind(2, absl::ToUnixMicros(until)).Run();
  }));
  absl::MutexLock lock(&mutex_);
  const auto found = live_.find(id);
  if (found == live_.end()) return NotLoggedIn();
  found->second.session.fresh_until = until;
  return absl::OkStatus();
}

absl::StatusOr<Session> SqliteSessions::Authenticate(
    std::string_view token, std::string_view /*client_address*/) {
  const std::string hash = Sha256(token);
  const absl::Time now = clock_.Now();
  std::optional<SessionId> to_write;
  Session session;
  {
    absl::MutexLock lock(&mutex_);
    const auto named = by_hash_.find(hash);
    if (named == by_hash_.end()) return NotLoggedIn();
    Live& live = live_.at(named->second);
    if (IsOver(live, now)) return NotLoggedIn();
    live.used_at = std::max(live.used_at, now);
    if (now - live.written_at >= kUseWritten) {
      live.written_at = now;
      to_write = live.session.id;
    }
    session = live.session;
  }
  // A disk that is full ends nobody's session: the use counts in memory.
  if (to_write) {
    if (absl::Status written = WriteUse(*to_write, now); !written.ok()) {
      LogWarning("session use not recorded", {{"error", written.ToString()}});
    }
  }
  return session;
}

bool SqliteSessions::IsLive(const SessionId& id) {
  absl::MutexLock lock(&mutex_);
  const auto found = live_.find(id);
  return found != live_.end() && !IsOver(found->second, clock_.Now());
}

EndedSession SqliteSessions::Kill(const SessionId& id, absl::Time now) {
  const auto found = live_.find(id);
  const absl::Time forget_after = found->second.session.expires_at;
  by_hash_.erase(found->second.token_hash);
  live_.erase(found);
  dead_[id] = Dead{.ended_at = now, .forget_after = forget_after};
  return {id, forget_after};
}

absl::Status SqliteSessions::End(const SessionId& id) {
  EndedSession ended;
  {
    absl::MutexLock lock(&mutex_);
    if (!live_.contains(id)) return absl::OkStatus();
    ended = Kill(id, clock_.Now());
  }
  listener_(ended);
  return WriteEnds();
}

std::vector<EndedSession> SqliteSessions::Ended() {
  absl::MutexLock lock(&mutex_);
  const absl::Time now = clock_.Now();
  std::vector<EndedSession> list;
  for (const auto& [id, dead] : dead_) {
    if (dead.forget_after > now) list.push_back({id, dead.forget_after});
  }
  return list;
}

void SqliteSessions::OnEnd(std::function<void(const EndedSession&)> listener) {
  listener_ = std::move(listener);
}

std::vector<SessionId> SqliteSessions::TooMany(const std::string& username) {
  absl::MutexLock lock(&mutex_);
  std::vector<std::pair<absl::Time, SessionId>> own;
  for (const auto& [id, live] : live_) {
    if (live.session.username == username) own.emplace_back(live.used_at, id);
  }
  std::sort(own.begin(), own.end());
  std::vector<SessionId> ids;
  for (size_t i = 0; i + kMostPerUser <= own.size(); ++i) {
    ids.push_back(own[i].second);
  }
  return ids;
}

std::vector<SessionId> SqliteSessions::Idle(absl::Time now) {
  absl::MutexLock lock(&mutex_);
  std::vector<SessionId> ids;
  for (const auto& [id, live] : live_) {
    if (IsOver(live, now) && now < live.session.expires_at) ids.push_back(id);
  }
  return ids;
}

void SqliteSessions::Forget(absl::Time now) {
  absl::MutexLock lock(&mutex_);
  absl::erase_if(by_hash_, [&](const auto& row) {
    return live_.at(row.second).session.expires_at <= now;
  });
  absl::erase_if(live_, [&](const auto& row) {
    return row.second.session.expires_at <= now;
  });
  absl::erase_if(
      dead_, [&](const auto& row) { return row.second.forget_after <= now; });
}

void SqliteSessions::Sweep() {
  const absl::Time now = clock_.Now();
  for (const SessionId& id : Idle(now)) {
    LogInfo("session ended", {{"session", id.value()}, {"reason", "idle"}});
    End(id).IgnoreError();  // WriteEnds below tries again and says so
  }
  Forget(now);
  absl::Status written = WriteEnds();
  if (written.ok()) written = DeleteExpired(now);
  if (!written.ok()) {
    LogWarning("sessions not recorded", {{"error", written.ToString()}});
  }
}

absl::Status SqliteSessions::Write(const Live& live,
                                   std::string_view client_address,
                                   std::string_view user_agent) {
  const Session& session = live.session;
  return database_.Transact([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(
        Statement write,
        db.Prepare("INSERT INTO sessions (id, token_hash, username, "
                   "display_name, uid, role, client_address, user_agent, "
                   "created_at, used_at, expires_at, fresh_until, "
                   "last_address) "
                   "VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?7)"));
    return write.Bind(1, session.id.value())
        .BindBlob(2, live.token_hash)
        .Bind(3, session.username)
        .Bind(4, session.display_name)
        .Bind(5, static_cast<int64_t>(session.uid.value()))
        .Bind(6, RoleName(session.role))
        .Bind(7, client_address)
        .Bind(8, user_agent)
        .Bind(9, absl::ToUnixMicros(session.created_at))
        .Bind(10, absl::ToUnixMicros(live.used_at))
        .Bind(11, absl::ToUnixMicros(session.expires_at))
        .Bind(12, absl::ToUnixMicros(session.fresh_until))
        .Run();
  });
}

absl::Status SqliteSessions::WriteUse(const SessionId& id, absl::Time used_at) {
  return database_.Transact([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(Statement write,
                     db.Prepare("UPDATE sessions SET used_at=?2 WHERE id=?1"));
    return write.Bind(1, id.value()).Bind(2, absl::ToUnixMicros(used_at)).Run();
  });
}

absl::Status SqliteSessions::WriteEnds() {
  std::vector<std::pair<SessionId, absl::Time>> unwritten;
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& [id, dead] : dead_) {
      if (!dead.written) unwritten.emplace_back(id, dead.ended_at);
    }
  }
  if (unwritten.empty()) return absl::OkStatus();
  const auto write_all = [&](Database& db) -> absl::Status {
    for (const auto& [id, ended_at] : unwritten) {
      ASSIGN_OR_RETURN(
          Statement write,
          db.Prepare("UPDATE sessions SET ended_at=?2 WHERE id=?1"));
      write.Bind(1, id.value()).Bind(2, absl::ToUnixMicros(ended_at));
      RETURN_IF_ERROR(write.Run());
    }
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(database_.Transact(write_all));
  absl::MutexLock lock(&mutex_);
  for (const auto& [id, ended_at] : unwritten) {
    const auto found = dead_.find(id);
    if (found != dead_.end()) found->second.written = true;
  }
  return absl::OkStatus();
}

absl::Status SqliteSessions::DeleteExpired(absl::Time now) {
  return database_.Query([&](Database& db) -> absl::Status {
    ASSIGN_OR_RETURN(Statement write,
                     db.Prepare("DELETE FROM sessions WHERE expires_at<=?1"));
    return write.Bind(1, absl::ToUnixMicros(now)).Run();
  });
}

}  // namespace carme
