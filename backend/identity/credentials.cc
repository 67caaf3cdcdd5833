#include "backend/identity/credentials.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/identity/token_scopes.h"
#include "common/status.h"

namespace carme::backend {
namespace {

absl::Status CheckScopes(const AccessToken& token, Role role) {
  for (const std::string& word : token.scopes) {
    const TokenScope* scope = FindScope(word);
    if (scope == nullptr || !MayGive(role, *scope)) {
      return absl::PermissionDeniedError(absl::StrCat(
          "the access token's scope \"", word, "\" is above your role \"",
          std::string(RoleName(role)), "\": make a new token"));
    }
  }
  return absl::OkStatus();
}

absl::Status NotYetAsked() {
  return absl::UnavailableError(
      "the site's directory lets this account in again: try again");
}

absl::Status NotLetIn() {
  return absl::UnauthenticatedError("this account may not use Carme any more");
}

}  // namespace

Credentials::Credentials(Parts parts) : parts_(std::move(parts)) {
  for (const AccessToken& token : parts_.tokens->Owners()) Want(token);
}

absl::StatusOr<Session> Credentials::Authenticate(
    std::string_view token, std::string_view client_address) {
  return IsAccessToken(token)
             ? AuthenticateScript(token, client_address)
             : parts_.sessions->Authenticate(token, client_address);
}

absl::StatusOr<Session> Credentials::AuthenticateScript(
    std::string_view secret, std::string_view client_address) {
  ASSIGN_OR_RETURN(const AccessToken token,
                   parts_.tokens->Use(secret, client_address));
  const absl::StatusOr<Standing::Word> word =
      parts_.standing->Last(token.username);
  if (!word.ok() || token.suspended_at) Want(token);
  if (absl::IsNotFound(word.status())) return NotLetIn();
  RETURN_IF_ERROR(word.status());
  const Person& owner = word->person;
  // A name that was given to somebody else is no standing of the owner's.
  if (owner.uid != token.uid) return NotLetIn();
  RETURN_IF_ERROR(CheckScopes(token, owner.role));
  if (token.suspended_at) return NotYetAsked();
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

absl::Status Credentials::Refresh(const SessionId& id, absl::Time until) {
  if (IsTokenSession(id)) {
    return absl::PermissionDeniedError("an access token has no second factor");
  }
  return parts_.sessions->Refresh(id, until);
}

absl::Status Credentials::End(const SessionId& id) {
  if (IsTokenSession(id)) {
    return absl::InvalidArgumentError("an access token is revoked, not ended");
  }
  return parts_.sessions->End(id);
}

bool Credentials::IsLive(const SessionId& id) {
  return IsTokenSession(id) ? parts_.tokens->IsLive(id)
                            : parts_.sessions->IsLive(id);
}

std::vector<EndedSession> Credentials::Ended() {
  std::vector<EndedSession> ended = parts_.sessions->Ended();
  for (EndedSession& token : parts_.tokens->Ended()) {
    ended.push_back(std::move(token));
  }
  return ended;
}

void Credentials::OnEnd(std::function<void(const EndedSession&)> listener) {
  parts_.sessions->OnEnd(listener);
  parts_.tokens->OnEnd(std::move(listener));
}

void Credentials::OnReturn(std::function<void(const SessionId&)> listener) {
  parts_.tokens->OnReturn(std::move(listener));
}

Credentials::Departure Credentials::EndAllOf(Uid person,
                                             const std::string& username) {
  return {.uid = person,
          .username = username,
          .sessions = parts_.sessions->EndAllOf(person),
          .tokens = parts_.tokens->RevokeAllOf(person)};
}

void Credentials::Sweep() {
  parts_.sessions->Sweep();
  parts_.tokens->Sweep();
}

absl::Status Credentials::Recheck(Uid uid, const std::string& username) {
  const absl::StatusOr<Standing::Word> word = parts_.standing->Of(username);
  if (word.ok() && word->person.uid == uid) {
    const Role role = word->person.role;
    parts_.sessions->SetRole(uid, role, word->asked_at);
    parts_.tokens->Suspend(uid, [&](const AccessToken& token) {
      return !CheckScopes(token, role).ok();
    });
    return absl::OkStatus();
  }
  if (!word.ok() && !absl::IsNotFound(word.status())) return word.status();
  Depart(uid, username);
  return NotLetIn();
}

void Credentials::Depart(Uid uid, const std::string& username) {
  const absl::Time now = parts_.clock->Now();
  const bool gone = parts_.standing->MissingSince(username) + kGone <= now;
  const Departure who{.uid = uid,
                      .username = username,
                      .sessions = parts_.sessions->EndAllOf(uid),
                      .tokens = gone ? parts_.tokens->RevokeAllOf(uid) : 0,
                      .suspended = parts_.tokens->Suspend(
                          uid, [](const AccessToken&) { return true; })};
  if (who.sessions + who.tokens + who.suspended > 0) parts_.on_departure(who);
}

void Credentials::Recheck() {
  for (const Person& person : parts_.sessions->Owners()) {
    Recheck(person.uid, person.username).IgnoreError();  // the next one may
  }
  for (const AccessToken& token : parts_.tokens->Owners()) {
    Recheck(token.uid, token.username).IgnoreError();
  }
  parts_.standing->Sweep();
}

void Credentials::Want(const AccessToken& token) {
  absl::MutexLock lock(&mutex_);
  wanted_[token.uid.value()] = token.username;
}

void Credentials::RecheckWanted() {
  absl::flat_hash_map<uint32_t, std::string> wanted;
  {
    absl::MutexLock lock(&mutex_);
    wanted.swap(wanted_);
  }
  for (const auto& [uid, username] : wanted) {
    Recheck(Uid(uid), username).IgnoreError();  // they come again, or do not
  }
}

}  // namespace carme::backend
