#include "backend/clusters/assertion_authenticator.h"

#include <algorithm>
#include <utility>

#include "backend/clusters/messages.h"
#include "backend/identity/session/messages.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

absl::Status ReadOnly() {
  return MakeError(cluster_messages::kSessionReadOnly);
}

}  // namespace

AssertionAuthenticator::AssertionAuthenticator(Parts parts)
    : parts_(std::move(parts)),
      end_listener_([](const EndedSession&) {}),
      restore_listener_([](const SessionId&) {}) {}

absl::Status AssertionAuthenticator::NotAllowed() const {
  return MakeError(cluster_messages::kUserNotAllowed,
                   {{"cluster", parts_.verifier.cluster()}});
}

absl::StatusOr<Person> AssertionAuthenticator::LookUp(
    const std::string& username) {
  absl::StatusOr<Person> person = parts_.directory_cache->LookUp(username);
  if (absl::IsNotFound(person.status())) return NotAllowed();
  // A directory that ignores case must not map two users to one.
  if (person.ok() && person->username != username) return NotAllowed();
  return person;
}

absl::StatusOr<Session> AssertionAuthenticator::Authenticate(
    std::string_view assertion, std::string_view /*client_address*/) {
  ASSIGN_OR_RETURN(Session session,
                   parts_.verifier.Verify(assertion, parts_.clock->Now()));
  {
    absl::MutexLock lock(&mutex_);
    if (ended_.contains(session.id)) {
      return MakeError(session_messages::kNotLoggedIn);
    }
  }
  ASSIGN_OR_RETURN(const Person person, LookUp(session.username));
  session.display_name = person.display_name;
  session.uid = person.uid;
  session.role = person.role;
  bool is_known = false;
  bool was_denied = false;
  {
    absl::MutexLock lock(&mutex_);
    const auto found = used_.find(session.id);
    is_known = found != used_.end();
    // The user name belongs to another account by now.
    if (is_known && found->second.uid != session.uid) return NotAllowed();
    was_denied = is_known && found->second.is_denied;
  }
  if (!is_known && !parts_.on_first_use(person).ok()) {
    return MakeError(cluster_messages::kUserNotRecorded,
                     {{"cluster", parts_.verifier.cluster()}});
  }
  if (was_denied) SetDenied(session.id, false);
  absl::MutexLock lock(&mutex_);
  // The session may have ended during the lookup.
  if (ended_.contains(session.id)) {
    return MakeError(session_messages::kNotLoggedIn);
  }
  used_[session.id] = {.username = session.username,
                       .uid = session.uid,
                       .expires_at = session.expires_at};
  return session;
}

absl::Status AssertionAuthenticator::Refresh(const SessionId& /*id*/,
                                             absl::Time /*until*/) {
  return ReadOnly();
}

absl::Status AssertionAuthenticator::End(const SessionId& /*id*/) {
  return ReadOnly();
}

bool AssertionAuthenticator::IsLive(const SessionId& id) {
  absl::MutexLock lock(&mutex_);
  const auto found = used_.find(id);
  return found != used_.end() && !found->second.is_denied &&
         parts_.clock->Now() < found->second.expires_at && !ended_.contains(id);
}

std::vector<EndedSession> AssertionAuthenticator::Ended() {
  absl::MutexLock lock(&mutex_);
  std::vector<EndedSession> list;
  for (const auto& [id, forget_after] : ended_) {
    list.push_back({id, forget_after});
  }
  return list;
}

void AssertionAuthenticator::OnEnd(
    std::function<void(const EndedSession&)> listener) {
  end_listener_ = std::move(listener);
}

void AssertionAuthenticator::OnRestored(
    std::function<void(const SessionId&)> listener) {
  restore_listener_ = std::move(listener);
}

absl::Status AssertionAuthenticator::CheckGrants() {
  absl::MutexLock lock(&mutex_);
  if (parts_.clock->Now() < last_message_at_ + kMaxSilence) {
    return absl::OkStatus();
  }
  return MakeError(cluster_messages::kNoContact,
                   {{"cluster", parts_.verifier.cluster()}});
}

void AssertionAuthenticator::Apply(const std::vector<EndedSession>& ended,
                                   const std::vector<SessionId>& restored) {
  std::vector<EndedSession> new_ends;
  std::vector<SessionId> undone;
  {
    absl::MutexLock lock(&mutex_);
    const absl::Time now = parts_.clock->Now();
    last_message_at_ = now;
    for (const SessionId& id : restored) {
      if (ended_.erase(id) > 0) undone.push_back(id);
    }
    for (const EndedSession& session : ended) {
      if (ended_.insert_or_assign(session.id, session.forget_after).second) {
        new_ends.push_back(session);
      }
    }
    absl::erase_if(ended_, [&](const auto& row) { return row.second <= now; });
  }
  for (const SessionId& id : undone) restore_listener_(id);
  for (const EndedSession& session : new_ends) end_listener_(session);
}

absl::Time AssertionAuthenticator::last_message_at() const {
  absl::MutexLock lock(&mutex_);
  return last_message_at_;
}

void AssertionAuthenticator::SetDenied(const SessionId& id, bool is_denied) {
  EndedSession session{.id = id, .forget_after = {}};
  {
    absl::MutexLock lock(&mutex_);
    const auto found = used_.find(id);
    if (found == used_.end() || found->second.is_denied == is_denied ||
        ended_.contains(id)) {
      return;
    }
    found->second.is_denied = is_denied;
    session.forget_after = found->second.expires_at;
  }
  if (is_denied) {
    end_listener_(session);
  } else {
    restore_listener_(id);
  }
}

void AssertionAuthenticator::Recheck() {
  absl::flat_hash_map<SessionId, UsedSession> sessions;
  {
    absl::MutexLock lock(&mutex_);
    const absl::Time now = parts_.clock->Now();
    absl::erase_if(
        used_, [&](const auto& row) { return row.second.expires_at <= now; });
    sessions = used_;
  }
  for (const auto& [id, session] : sessions) {
    const absl::StatusOr<Person> person = LookUp(session.username);
    if (person.ok()) {
      SetDenied(id, person->uid != session.uid);
    } else if (absl::IsPermissionDenied(person.status())) {
      SetDenied(id, true);
    }
  }
  parts_.directory_cache->EvictUnused();
}

}  // namespace carme::backend
