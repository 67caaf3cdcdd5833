#include "backend/identity/session/token_authenticator.h"

#include <algorithm>
#include <utility>

#include "backend/identity/session/messages.h"
#include "backend/identity/session/token_scopes.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

absl::Status CheckScopes(const AccessToken& token, Role role) {
  for (const std::string& name : token.scopes) {
    const TokenScope* scope = FindScope(name);
    if (scope == nullptr || !MayGive(role, *scope)) {
      return MakeError(session_messages::kTokenExceedsRole,
                       {{"scope", name}, {"role", RoleName(role)}});
    }
  }
  return absl::OkStatus();
}

absl::Status LookupPending() {
  return MakeError(session_messages::kLookupPending);
}

absl::Status AccountNotAllowed() {
  return MakeError(session_messages::kAccountNotAllowed);
}

}  // namespace

TokenAuthenticator::TokenAuthenticator(Parts parts) : parts_(std::move(parts)) {
  for (const AccessToken& token : parts_.tokens->Owners()) QueueRecheck(token);
}

absl::StatusOr<Session> TokenAuthenticator::Authenticate(
    std::string_view token, std::string_view client_address) {
  return IsAccessToken(token)
             ? AuthenticateScript(token, client_address)
             : parts_.sessions->Authenticate(token, client_address);
}

absl::StatusOr<Session> TokenAuthenticator::AuthenticateScript(
    std::string_view secret, std::string_view client_address) {
  ASSIGN_OR_RETURN(const AccessToken token,
                   parts_.tokens->Use(secret, client_address));
  const absl::StatusOr<DirectoryCache::CachedPerson> cached =
      parts_.directory_cache->Cached(token.username);
  if (!cached.ok() || token.suspended_at) QueueRecheck(token);
  if (absl::IsNotFound(cached.status())) return AccountNotAllowed();
  RETURN_IF_ERROR(cached.status());
  const Person& owner = cached->person;
  // The user name may belong to another account by now.
  if (owner.uid != token.uid) return AccountNotAllowed();
  RETURN_IF_ERROR(CheckScopes(token, owner.role));
  if (token.suspended_at) return LookupPending();
  const absl::Time now = parts_.clock->Now();
  return Session{
      .id = SessionIdOf(token.id),
      .username = owner.username,
      .display_name = owner.display_name,
      .uid = owner.uid,
      .role = owner.role,
      .created_at = token.created_at,
      .expires_at = std::min(token.expires_at, now + AccessTokens::kLongestUse),
      .scopes = token.scopes};
}

absl::Status TokenAuthenticator::Refresh(const SessionId& id,
                                         absl::Time until) {
  if (IsTokenSession(id)) {
    return MakeError(session_messages::kTokenHasNoFactor);
  }
  return parts_.sessions->Refresh(id, until);
}

absl::Status TokenAuthenticator::End(const SessionId& id) {
  if (IsTokenSession(id)) {
    return MakeError(session_messages::kTokenIsNoSession);
  }
  return parts_.sessions->End(id);
}

bool TokenAuthenticator::IsLive(const SessionId& id) {
  return IsTokenSession(id) ? parts_.tokens->IsLive(id)
                            : parts_.sessions->IsLive(id);
}

std::vector<EndedSession> TokenAuthenticator::Ended() {
  std::vector<EndedSession> ended = parts_.sessions->Ended();
  for (EndedSession& token : parts_.tokens->Ended()) {
    ended.push_back(std::move(token));
  }
  return ended;
}

void TokenAuthenticator::OnEnd(
    std::function<void(const EndedSession&)> listener) {
  parts_.sessions->OnEnd(listener);
  parts_.tokens->OnEnd(std::move(listener));
}

void TokenAuthenticator::OnReinstated(
    std::function<void(const SessionId&)> listener) {
  parts_.tokens->OnReinstated(std::move(listener));
}

TokenAuthenticator::Deprovisioned TokenAuthenticator::EndAllOf(
    Uid person, const std::string& username) {
  return {.uid = person,
          .username = username,
          .sessions = parts_.sessions->EndAllOf(person),
          .tokens = parts_.tokens->RevokeAllOf(person)};
}

void TokenAuthenticator::Sweep() {
  parts_.sessions->Sweep();
  parts_.tokens->Sweep();
}

absl::Status TokenAuthenticator::Recheck(Uid uid, const std::string& username) {
  const absl::StatusOr<DirectoryCache::CachedPerson> cached =
      parts_.directory_cache->LookUpWithTime(username);
  if (cached.ok() && cached->person.uid == uid) {
    const Role role = cached->person.role;
    parts_.sessions->SetRole(uid, role, cached->looked_up_at);
    parts_.tokens->Suspend(uid, [&](const AccessToken& token) {
      return !CheckScopes(token, role).ok();
    });
    return absl::OkStatus();
  }
  if (!cached.ok() && !absl::IsNotFound(cached.status()))
    return cached.status();
  Deprovision(uid, username);
  return AccountNotAllowed();
}

void TokenAuthenticator::Deprovision(Uid uid, const std::string& username) {
  const absl::Time now = parts_.clock->Now();
  const bool gone =
      parts_.directory_cache->MissingSince(username) + kRevokeAfter <= now;
  const Deprovisioned who{.uid = uid,
                          .username = username,
                          .sessions = parts_.sessions->EndAllOf(uid),
                          .tokens = gone ? parts_.tokens->RevokeAllOf(uid) : 0,
                          .suspended = parts_.tokens->Suspend(
                              uid, [](const AccessToken&) { return true; })};
  if (who.sessions + who.tokens + who.suspended > 0)
    parts_.on_deprovisioned(who);
}

void TokenAuthenticator::Recheck() {
  for (const Person& person : parts_.sessions->Owners()) {
    // The next call retries.
    Recheck(person.uid, person.username).IgnoreError();
  }
  for (const AccessToken& token : parts_.tokens->Owners()) {
    Recheck(token.uid, token.username).IgnoreError();
  }
  parts_.directory_cache->EvictUnused();
}

void TokenAuthenticator::QueueRecheck(const AccessToken& token) {
  absl::MutexLock lock(&mutex_);
  recheck_queue_[token.uid.value()] = token.username;
}

void TokenAuthenticator::RecheckQueued() {
  absl::flat_hash_map<uint32_t, std::string> wanted;
  {
    absl::MutexLock lock(&mutex_);
    wanted.swap(recheck_queue_);
  }
  for (const auto& [uid, username] : wanted) {
    // The next use of the token retries.
    Recheck(Uid(uid), username).IgnoreError();
  }
}

}  // namespace carme::backend
