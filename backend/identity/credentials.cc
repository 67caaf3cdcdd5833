#include "backend/identity/credentials.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/identity/token_scopes.h"
#include "common/status.h"

namespace carme {
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

absl::Status NotLetIn() {
  return absl::UnauthenticatedError("this account may not use Carme any more");
}

}  // namespace

Credentials::Credentials(Parts parts) : parts_(std::move(parts)) {}

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
      parts_.standing->Of(token.username);
  if (absl::IsNotFound(word.status())) return NotLetIn();
  RETURN_IF_ERROR(word.status());
  const Person& owner = word->person;
  // A name that was given to somebody else is no standing of the owner's.
  if (owner.uid != token.uid) return NotLetIn();
  RETURN_IF_ERROR(CheckScopes(token, owner.role));
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
  if (!IsTokenSession(id)) return parts_.sessions->IsLive(id);
  const std::optional<std::string> owner = parts_.tokens->OwnerOf(id);
  return owner && parts_.standing->MissingSince(*owner) > parts_.clock->Now();
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
  parts_.tokens->OnRevoke(std::move(listener));
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

void Credentials::Recheck(Uid uid, const std::string& username) {
  const absl::StatusOr<Standing::Word> word = parts_.standing->Of(username);
  if (word.ok() && word->person.uid == uid) {
    parts_.sessions->SetRole(uid, word->person.role, word->asked_at);
  } else if (word.ok() || absl::IsNotFound(word.status())) {
    Depart(uid, username);
  }
}

void Credentials::Depart(Uid uid, const std::string& username) {
  const absl::Time now = parts_.clock->Now();
  const bool gone = parts_.standing->MissingSince(username) + kGone <= now;
  const Departure who{.uid = uid,
                      .username = username,
                      .sessions = parts_.sessions->EndAllOf(uid),
                      .tokens = gone ? parts_.tokens->RevokeAllOf(uid) : 0};
  if (who.sessions + who.tokens > 0) parts_.on_departure(who);
}

void Credentials::Recheck() {
  for (const Person& person : parts_.sessions->Owners()) {
    Recheck(person.uid, person.username);
  }
  const absl::Time since = parts_.clock->Now() - 2 * kGone;
  for (const AccessToken& token : parts_.tokens->UsedSince(since)) {
    Recheck(token.uid, token.username);
  }
  parts_.standing->Sweep();
}

}  // namespace carme
