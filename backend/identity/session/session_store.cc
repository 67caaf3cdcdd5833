#include "backend/identity/session/session_store.h"

#include <algorithm>
#include <utility>

#include "backend/identity/session/messages.h"
#include "backend/identity/session/user_agent.h"
#include "common/crypto/hash.h"
#include "common/encoding.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/random.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr int kTokenBytes = 32;
constexpr int kSessionIdBytes = 12;

absl::Status NotLoggedIn() { return MakeError(session_messages::kNotLoggedIn); }

}  // namespace

SessionStore::SessionStore(Database* database, const Clock* clock,
                           const SessionsConfig* config)
    : table_(database),
      clock_(*clock),
      config_(*config),
      listener_([](const EndedSession&) {}),
      end_all_listener_([](Uid) {}) {}

absl::StatusOr<std::unique_ptr<SessionStore>> SessionStore::Load(
    Database* database, const Clock* clock, const SessionsConfig* config) {
  std::unique_ptr<SessionStore> sessions(
      new SessionStore(database, clock, config));
  RETURN_IF_ERROR(sessions->Read());
  return sessions;
}

absl::Status SessionStore::Read() {
  ASSIGN_OR_RETURN(std::vector<SessionRow> rows, table_.Read(clock_.Now()));
  absl::MutexLock lock(&mutex_);
  for (SessionRow& row : rows) {
    if (row.ended_at) {
      ended_[row.session.id] = {.ended_at = *row.ended_at,
                                .forget_after = row.session.expires_at,
                                .written = true};
    } else {
      by_hash_[row.token_hash] = row.session.id;
      Add(std::move(row), true);
    }
  }
  return absl::OkStatus();
}

bool SessionStore::HasExpired(const LiveEntry& live, absl::Time now) const {
  return now >= live.row.session.expires_at ||
         now >= live.row.used_at + config_.idle_timeout;
}

void SessionStore::Add(SessionRow row, bool is_inserted) {
  const SessionId id = row.session.id;
  const absl::Time used_at = row.used_at;
  live_[id] = LiveEntry{
      .row = std::move(row), .written_at = used_at, .is_inserted = is_inserted};
}

absl::StatusOr<NewSession> SessionStore::Begin(const Person& person,
                                               std::string_view client_address,
                                               std::string_view user_agent) {
  for (const SessionId& id : TooMany(person.uid)) {
    RETURN_IF_ERROR(End(id));
  }
  const absl::Time now = clock_.Now();
  NewSession made;
  made.token = Base64UrlEncode(RandomBytes(kTokenBytes));
  made.session = {
      .id = SessionId(Base64UrlEncode(RandomBytes(kSessionIdBytes))),
      .username = person.username,
      .display_name = person.display_name,
      .uid = person.uid,
      .role = person.role,
      .created_at = now,
      .expires_at = now + config_.absolute_timeout,
      .reauthenticated_until = now + config_.reauthentication_lifetime};
  SessionRow row{.session = made.session,
                 .token_hash = Sha256(made.token),
                 .user_agent = std::string(user_agent),
                 .address = std::string(client_address),
                 .last_address = std::string(client_address),
                 .used_at = now};
  {
    // Added before it is on disk, so that a concurrent request to end all of
    // the person's sessions ends this one too. Its token has not been sent yet.
    absl::MutexLock lock(&mutex_);
    Add(row, false);
  }
  const absl::Status written = table_.Insert(row);
  absl::MutexLock lock(&mutex_);
  const SessionId& id = made.session.id;
  const auto live = live_.find(id);
  if (!written.ok()) {
    if (live != live_.end()) live_.erase(live);
    return written;
  }
  if (live == live_.end()) {
    // From now on its end can be written; Sweep does so.
    const auto ended = ended_.find(id);
    if (ended != ended_.end()) ended->second.is_inserted = true;
    return MakeError(session_messages::kEndedMeanwhile);
  }
  live->second.is_inserted = true;
  by_hash_[row.token_hash] = id;
  return made;
}

absl::Status SessionStore::Refresh(const SessionId& id, absl::Time until) {
  RETURN_IF_ERROR(table_.WriteFresh(id, until));
  absl::MutexLock lock(&mutex_);
  const auto found = live_.find(id);
  if (found == live_.end()) return NotLoggedIn();
  found->second.row.session.reauthenticated_until = until;
  return absl::OkStatus();
}

absl::StatusOr<Session> SessionStore::Authenticate(
    std::string_view token, std::string_view client_address) {
  const std::string hash = Sha256(token);
  const absl::Time now = clock_.Now();
  absl::MutexLock lock(&mutex_);
  const auto named = by_hash_.find(hash);
  if (named == by_hash_.end()) return NotLoggedIn();
  LiveEntry& live = live_.at(named->second);
  if (HasExpired(live, now)) return NotLoggedIn();
  live.row.used_at = std::max(live.row.used_at, now);
  if (!client_address.empty()) live.row.last_address = client_address;
  return live.row.session;
}

bool SessionStore::IsLive(const SessionId& id) {
  absl::MutexLock lock(&mutex_);
  const auto found = live_.find(id);
  return found != live_.end() && !HasExpired(found->second, clock_.Now());
}

EndedSession SessionStore::MoveToEnded(const SessionId& id, absl::Time now) {
  const auto found = live_.find(id);
  const absl::Time forget_after = found->second.row.session.expires_at;
  by_hash_.erase(found->second.row.token_hash);
  ended_[id] = EndedEntry{.ended_at = now,
                          .forget_after = forget_after,
                          .is_inserted = found->second.is_inserted};
  live_.erase(found);
  return {id, forget_after};
}

absl::Status SessionStore::End(const SessionId& id) {
  EndedSession ended;
  {
    absl::MutexLock lock(&mutex_);
    if (!live_.contains(id)) return absl::OkStatus();
    ended = MoveToEnded(id, clock_.Now());
  }
  listener_(ended);
  return WriteEnds();
}

int SessionStore::EndAllOf(Uid person, const SessionId& kept) {
  end_all_listener_(person);
  std::vector<EndedSession> ended;
  {
    absl::MutexLock lock(&mutex_);
    std::vector<SessionId> ids;
    for (const auto& [id, live] : live_) {
      if (live.row.session.uid == person && id != kept) ids.push_back(id);
    }
    for (const SessionId& id : ids)
      ended.push_back(MoveToEnded(id, clock_.Now()));
  }
  for (const EndedSession& one : ended) listener_(one);
  // The sessions have ended in any case. If the write fails, Sweep repeats it.
  if (const absl::Status written = WriteEnds(); !written.ok()) {
    LogWarning("sessions not recorded", {{"error", StatusText(written)}});
  }
  return static_cast<int>(ended.size());
}

void SessionStore::SetRole(Uid person, Role role, absl::Time asked_at) {
  absl::MutexLock lock(&mutex_);
  for (auto& [id, live] : live_) {
    const Session& session = live.row.session;
    if (session.uid != person || session.role == role ||
        session.created_at > asked_at) {
      continue;
    }
    live.row.session.role = role;
    live.written_at = absl::InfinitePast();  // the next Sweep writes it
  }
}

std::vector<SessionUse> SessionStore::Of(Uid person) {
  std::vector<SessionUse> list;
  {
    absl::MutexLock lock(&mutex_);
    const absl::Time now = clock_.Now();
    for (const auto& [id, live] : live_) {
      if (live.row.session.uid != person || HasExpired(live, now)) continue;
      list.push_back({.session = live.row.session,
                      .device = DeviceOf(live.row.user_agent),
                      .address = live.row.address,
                      .last_address = live.row.last_address,
                      .used_at = live.row.used_at});
    }
  }
  std::sort(list.begin(), list.end(),
            [](const SessionUse& a, const SessionUse& b) {
              return a.used_at > b.used_at;
            });
  return list;
}

size_t SessionStore::LiveCount() {
  absl::MutexLock lock(&mutex_);
  return live_.size();
}

std::vector<Person> SessionStore::Owners() {
  absl::MutexLock lock(&mutex_);
  absl::flat_hash_map<uint32_t, Person> people;
  for (const auto& [id, live] : live_) {
    const Session& session = live.row.session;
    people[session.uid.value()] = {.username = session.username,
                                   .display_name = session.display_name,
                                   .uid = session.uid,
                                   .role = session.role};
  }
  std::vector<Person> list;
  for (auto& [uid, person] : people) list.push_back(std::move(person));
  return list;
}

std::vector<EndedSession> SessionStore::Ended() {
  absl::MutexLock lock(&mutex_);
  const absl::Time now = clock_.Now();
  std::vector<EndedSession> list;
  for (const auto& [id, dead] : ended_) {
    if (dead.forget_after > now) list.push_back({id, dead.forget_after});
  }
  return list;
}

void SessionStore::OnEnd(std::function<void(const EndedSession&)> listener) {
  listener_ = std::move(listener);
}

void SessionStore::OnEndAll(std::function<void(Uid)> listener) {
  end_all_listener_ = std::move(listener);
}

std::vector<SessionId> SessionStore::TooMany(Uid person) {
  absl::MutexLock lock(&mutex_);
  std::vector<std::pair<absl::Time, SessionId>> own;
  for (const auto& [id, live] : live_) {
    if (live.row.session.uid == person) own.emplace_back(live.row.used_at, id);
  }
  std::sort(own.begin(), own.end());
  std::vector<SessionId> ids;
  for (size_t i = 0; i + kMaxPerUser <= own.size(); ++i) {
    ids.push_back(own[i].second);
  }
  return ids;
}

std::vector<SessionId> SessionStore::Idle(absl::Time now) {
  absl::MutexLock lock(&mutex_);
  std::vector<SessionId> ids;
  for (const auto& [id, live] : live_) {
    if (HasExpired(live, now) && now < live.row.session.expires_at) {
      ids.push_back(id);
    }
  }
  return ids;
}

void SessionStore::DeleteExpired(absl::Time now) {
  absl::MutexLock lock(&mutex_);
  absl::erase_if(by_hash_, [&](const auto& row) {
    return live_.at(row.second).row.session.expires_at <= now;
  });
  absl::erase_if(live_, [&](const auto& row) {
    return row.second.row.session.expires_at <= now;
  });
  absl::erase_if(
      ended_, [&](const auto& row) { return row.second.forget_after <= now; });
}

void SessionStore::Sweep() {
  const absl::Time now = clock_.Now();
  for (const SessionId& id : Idle(now)) {
    LogInfo("session ended", {{"session", id.value()}, {"reason", "idle"}});
    End(id).IgnoreError();  // WriteEnds below retries and logs
  }
  DeleteExpired(now);
  absl::Status written = WriteEnds();
  if (written.ok()) written = WriteUses();
  if (written.ok()) written = table_.DeleteExpired(now);
  if (!written.ok()) {
    LogWarning("sessions not recorded", {{"error", StatusText(written)}});
  }
}

absl::Status SessionStore::WriteUses() {
  std::vector<SessionRow> rows;
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& [id, live] : live_) {
      if (live.row.used_at - live.written_at >= kUseWritten) {
        rows.push_back(live.row);
      }
    }
  }
  RETURN_IF_ERROR(table_.WriteUses(rows));
  absl::MutexLock lock(&mutex_);
  for (const SessionRow& row : rows) {
    const auto found = live_.find(row.session.id);
    if (found == live_.end()) continue;
    // The next call writes a role that changed meanwhile.
    if (found->second.row.session.role != row.session.role) continue;
    found->second.written_at = row.used_at;
  }
  return absl::OkStatus();
}

absl::Status SessionStore::WriteEnds() {
  std::vector<SessionTable::End> ends;
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& [id, dead] : ended_) {
      if (dead.is_inserted && !dead.written)
        ends.push_back({id, dead.ended_at});
    }
  }
  RETURN_IF_ERROR(table_.WriteEnds(ends));
  absl::MutexLock lock(&mutex_);
  for (const SessionTable::End& end : ends) {
    const auto found = ended_.find(end.id);
    if (found != ended_.end()) found->second.written = true;
  }
  return absl::OkStatus();
}

}  // namespace carme::backend
