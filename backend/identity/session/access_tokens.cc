#include "backend/identity/session/access_tokens.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "backend/identity/session/access_token_rules.h"
#include "backend/identity/session/messages.h"
#include "common/crypto/hash.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

absl::Status NoSuchToken() {
  return MakeError(session_messages::kTokenInvalid);
}

absl::Status CheckAddress(const AccessToken& token,
                          const net::Networks& networks,
                          std::string_view client_address) {
  if (networks.empty()) return absl::OkStatus();
  const absl::StatusOr<net::Address> address =
      net::Address::FromIp(client_address, 0);
  if (address.ok() && networks.Contains(*address)) return absl::OkStatus();
  absl::Status refused = MakeError(session_messages::kTokenAddressNotAllowed,
                                   {{"address", client_address}});
  refused.SetPayload(
      kRefusedOwnerPayload,
      absl::Cord(absl::StrCat(SessionIdOf(token.id).value(), " ",
                              token.uid.value(), " ", token.username)));
  return refused;
}

absl::Status TooManyTokens(int max) {
  if (max == 0) return MakeError(session_messages::kTokensNotOffered);
  if (max == 1) return MakeError(session_messages::kTokenOnlyOne);
  return MakeError(session_messages::kTokenTooMany, {{"max", max}});
}

}  // namespace

AccessTokens::AccessTokens(Database* database, const Clock* clock,
                           const TokensConfig* config)
    : table_(database),
      clock_(*clock),
      config_(*config),
      on_end_([](const EndedSession&) {}),
      on_reinstated_([](const SessionId&) {}) {}

absl::StatusOr<std::unique_ptr<AccessTokens>> AccessTokens::Load(
    Database* database, const Clock* clock, const TokensConfig* config) {
  std::unique_ptr<AccessTokens> tokens(
      new AccessTokens(database, clock, config));
  RETURN_IF_ERROR(tokens->Read());
  return tokens;
}

size_t AccessTokens::CountOf(Uid owner) {
  return static_cast<size_t>(std::count_if(
      live_.begin(), live_.end(),
      [&](const auto& row) { return row.second.token.uid == owner; }));
}

absl::StatusOr<NewAccessToken> AccessTokens::Create(
    const Session& owner, const std::string& name,
    const std::vector<std::string>& scopes, absl::Time expires_at,
    const std::vector<std::string>& addresses) {
  RETURN_IF_ERROR(CheckTokenName(name));
  RETURN_IF_ERROR(CheckTokenScopes(owner.role, scopes));
  RETURN_IF_ERROR(CheckTokenExpiry(clock_.Now(), expires_at, config_.max_days));
  ASSIGN_OR_RETURN(const net::Networks networks,
                   ParseTokenAddresses(addresses));
  const std::set<std::string> once(scopes.begin(), scopes.end());
  NewAccessToken made;
  made.secret = NewTokenSecret();
  made.token = {.id = NewTokenId(),
                .uid = owner.uid,
                .username = owner.username,
                .name = name,
                .scopes = {once.begin(), once.end()},
                .created_at = clock_.Now(),
                .expires_at = expires_at,
                .addresses = addresses};
  const std::string hash = Sha256(made.secret);
  {
    // Counted before it is on disk, so that concurrent requests cannot exceed
    // the limit. Its secret has not been sent yet.
    absl::MutexLock lock(&mutex_);
    if (CountOf(owner.uid) >= static_cast<size_t>(config_.max_per_user)) {
      return TooManyTokens(config_.max_per_user);
    }
    live_[made.token.id] = {
        .token = made.token, .hash = hash, .networks = networks};
  }
  const absl::Status written = table_.Insert({made.token, hash});
  absl::MutexLock lock(&mutex_);
  if (!written.ok()) {
    live_.erase(made.token.id);
    LogWarning("access token not recorded", {{"error", StatusText(written)}});
    return MakeError(session_messages::kTokenNotRecorded);
  }
  if (!live_.contains(made.token.id)) {
    // RevokeAllOf ran in between and wrote the revocation before the row
    // existed.
    revoked_[made.token.id].written = false;
    return NoSuchToken();
  }
  by_hash_[hash] = made.token.id;
  return made;
}

absl::StatusOr<AccessToken> AccessTokens::Use(std::string_view secret,
                                              std::string_view client_address) {
  const std::string hash = Sha256(secret);
  const absl::Time now = clock_.Now();
  absl::MutexLock lock(&mutex_);
  const auto named = by_hash_.find(hash);
  if (named == by_hash_.end()) return NoSuchToken();
  LiveToken& live = live_.at(named->second);
  AccessToken& token = live.token;
  if (now >= token.expires_at) return NoSuchToken();
  RETURN_IF_ERROR(CheckAddress(token, live.networks, client_address));
  token.used_at = std::max(token.used_at.value_or(now), now);
  if (!client_address.empty()) token.used_from = std::string(client_address);
  return token;
}

std::vector<AccessToken> AccessTokens::Of(Uid owner) {
  std::vector<AccessToken> list;
  {
    absl::MutexLock lock(&mutex_);
    const absl::Time now = clock_.Now();
    for (const auto& [id, live] : live_) {
      if (live.token.uid == owner && now < live.token.expires_at) {
        list.push_back(live.token);
      }
    }
  }
  std::sort(
      list.begin(), list.end(), [](const AccessToken& a, const AccessToken& b) {
        return std::tie(b.created_at, a.id) < std::tie(a.created_at, b.id);
      });
  return list;
}

std::vector<AccessToken> AccessTokens::Owners() {
  absl::MutexLock lock(&mutex_);
  absl::flat_hash_map<uint32_t, AccessToken> owners;
  for (const auto& [id, live] : live_) {
    owners.try_emplace(live.token.uid.value(), live.token);
  }
  std::vector<AccessToken> list;
  for (auto& [uid, token] : owners) list.push_back(std::move(token));
  return list;
}

bool AccessTokens::IsLive(const SessionId& session) {
  if (!IsTokenSession(session)) return false;
  absl::MutexLock lock(&mutex_);
  const auto found = live_.find(TokenIdOf(session));
  return found != live_.end() && !found->second.token.suspended_at &&
         clock_.Now() < found->second.token.expires_at;
}

int AccessTokens::Suspend(
    Uid owner, const std::function<bool(const AccessToken&)>& refused) {
  std::vector<EndedSession> ended;
  std::vector<SessionId> back;
  absl::MutexLock telling(&listener_mutex_);
  {
    absl::MutexLock lock(&mutex_);
    const absl::Time now = clock_.Now();
    for (auto& [id, live] : live_) {
      if (live.token.uid != owner) continue;
      const bool was = live.token.suspended_at.has_value();
      if (was == refused(live.token)) continue;
      live.suspension_written = false;
      if (was) {
        live.token.suspended_at.reset();
        back.push_back(SessionIdOf(id));
      } else {
        live.token.suspended_at = now;
        ended.push_back({SessionIdOf(id), now + kLongestUse});
      }
    }
  }
  if (ended.empty() && back.empty()) return 0;
  for (const EndedSession& one : ended) on_end_(one);
  for (const SessionId& one : back) on_reinstated_(one);
  if (const absl::Status written = WriteSuspensions(); !written.ok()) {
    LogWarning("access tokens not recorded", {{"error", StatusText(written)}});
  }
  return static_cast<int>(ended.size());
}

EndedSession AccessTokens::MoveToRevoked(const std::string& id) {
  const auto found = live_.find(id);
  const absl::Time now = clock_.Now();
  const EndedSession ended{SessionIdOf(id), now + kLongestUse};
  by_hash_.erase(found->second.hash);
  live_.erase(found);
  revoked_[id] = {.revoked_at = now};
  return ended;
}

absl::Status AccessTokens::Revoke(Uid owner, const std::string& id) {
  EndedSession ended;
  absl::MutexLock telling(&listener_mutex_);
  {
    absl::MutexLock lock(&mutex_);
    const auto found = live_.find(id);
    if (found == live_.end() || found->second.token.uid != owner) {
      return MakeError(session_messages::kTokenNotFound);
    }
    ended = MoveToRevoked(id);
  }
  on_end_(ended);
  return WriteRevocations();
}

int AccessTokens::RevokeAllOf(Uid owner) {
  std::vector<EndedSession> ended;
  absl::MutexLock telling(&listener_mutex_);
  {
    absl::MutexLock lock(&mutex_);
    std::vector<std::string> ids;
    for (const auto& [id, live] : live_) {
      if (live.token.uid == owner) ids.push_back(id);
    }
    for (const std::string& id : ids) ended.push_back(MoveToRevoked(id));
  }
  for (const EndedSession& one : ended) on_end_(one);
  if (const absl::Status written = WriteRevocations(); !written.ok()) {
    LogWarning("access tokens not recorded", {{"error", StatusText(written)}});
  }
  return static_cast<int>(ended.size());
}

std::vector<EndedSession> AccessTokens::Ended() {
  absl::MutexLock lock(&mutex_);
  const absl::Time now = clock_.Now();
  std::vector<EndedSession> list;
  for (const auto& [id, dead] : revoked_) {
    const absl::Time forget_after = dead.revoked_at + kLongestUse;
    if (forget_after > now) {
      list.push_back({SessionIdOf(id), forget_after});
    }
  }
  for (const auto& [id, live] : live_) {
    if (!live.token.suspended_at) continue;
    const absl::Time forget_after = *live.token.suspended_at + kLongestUse;
    if (forget_after > now) list.push_back({SessionIdOf(id), forget_after});
  }
  return list;
}

void AccessTokens::OnEnd(std::function<void(const EndedSession&)> listener) {
  on_end_ = std::move(listener);
}

void AccessTokens::OnReinstated(
    std::function<void(const SessionId&)> listener) {
  on_reinstated_ = std::move(listener);
}

absl::Status AccessTokens::Read() {
  ASSIGN_OR_RETURN(std::vector<AccessTokenRow> rows, table_.Read(clock_.Now()));
  absl::MutexLock lock(&mutex_);
  for (AccessTokenRow& row : rows) {
    if (row.revoked_at) {
      revoked_[row.token.id] = {*row.revoked_at, true};
      continue;
    }
    const std::string id = row.token.id;
    const absl::Time written = row.token.used_at.value_or(absl::InfinitePast());
    by_hash_[row.hash] = id;
    ASSIGN_OR_RETURN(net::Networks networks,
                     ParseTokenAddresses(row.token.addresses));
    live_[id] = {.token = std::move(row.token),
                 .hash = std::move(row.hash),
                 .written_at = written,
                 .networks = std::move(networks)};
  }
  return absl::OkStatus();
}

void AccessTokens::DeleteExpired(absl::Time now) {
  absl::MutexLock lock(&mutex_);
  absl::erase_if(by_hash_, [&](const auto& row) {
    return live_.at(row.second).token.expires_at <= now;
  });
  absl::erase_if(live_, [&](const auto& row) {
    return row.second.token.expires_at <= now;
  });
  absl::erase_if(revoked_, [&](const auto& row) {
    return row.second.written && row.second.revoked_at + kLongestUse <= now;
  });
}

void AccessTokens::Sweep() {
  const absl::Time now = clock_.Now();
  absl::Status written = WriteRevocations();
  DeleteExpired(now);
  if (written.ok()) written = WriteSuspensions();
  if (written.ok()) written = WriteUses();
  if (written.ok()) written = table_.Delete(now, now - kLongestUse);
  if (!written.ok()) {
    LogWarning("access tokens not recorded", {{"error", StatusText(written)}});
  }
}

absl::Status AccessTokens::WriteRevocations() {
  std::vector<AccessTokenTable::Revocation> revocations;
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& [id, dead] : revoked_) {
      if (!dead.written) revocations.push_back({id, dead.revoked_at});
    }
  }
  RETURN_IF_ERROR(table_.WriteRevocations(revocations));
  absl::MutexLock lock(&mutex_);
  for (const auto& revocation : revocations) {
    const auto found = revoked_.find(revocation.id);
    if (found != revoked_.end()) found->second.written = true;
  }
  return absl::OkStatus();
}

absl::Status AccessTokens::WriteUses() {
  std::vector<AccessToken> used;
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& [id, live] : live_) {
      if (live.token.used_at &&
          *live.token.used_at - live.written_at >= kUseWritten) {
        used.push_back(live.token);
      }
    }
  }
  RETURN_IF_ERROR(table_.WriteUses(used));
  absl::MutexLock lock(&mutex_);
  for (const AccessToken& token : used) {
    const auto found = live_.find(token.id);
    if (found != live_.end()) found->second.written_at = *token.used_at;
  }
  return absl::OkStatus();
}

absl::Status AccessTokens::WriteSuspensions() {
  std::vector<AccessToken> changed;
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& [id, live] : live_) {
      if (!live.suspension_written) changed.push_back(live.token);
    }
  }
  RETURN_IF_ERROR(table_.WriteSuspensions(changed));
  absl::MutexLock lock(&mutex_);
  for (const AccessToken& token : changed) {
    const auto found = live_.find(token.id);
    if (found == live_.end()) continue;
    // The next call writes changes that were made meanwhile.
    found->second.suspension_written =
        found->second.token.suspended_at == token.suspended_at;
  }
  return absl::OkStatus();
}

}  // namespace carme::backend
