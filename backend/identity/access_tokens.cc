#include "backend/identity/access_tokens.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/identity/token_rules.h"
#include "common/encoding.h"
#include "common/hash.h"
#include "common/log.h"
#include "common/random.h"
#include "common/status.h"

namespace carme {
namespace {

constexpr std::string_view kSecretPrefix = "carme_";
constexpr std::string_view kIdPrefix = "token-";
constexpr int kSecretBytes = 32;
constexpr size_t kSecretText = 43;  // of base64url
constexpr int kIdBytes = 12;
constexpr size_t kIdText = 16;

absl::Status NoSuchToken() {
  return absl::UnauthenticatedError(
      "the access token is unknown, revoked or expired");
}

}  // namespace

AccessTokens::AccessTokens(Database* database, const Clock* clock,
                           const TokensConfig* config)
    : table_(database),
      clock_(*clock),
      config_(*config),
      listener_([](const EndedSession&) {}) {}

absl::StatusOr<std::unique_ptr<AccessTokens>> AccessTokens::Load(
    Database* database, const Clock* clock, const TokensConfig* config) {
  std::unique_ptr<AccessTokens> tokens(
      new AccessTokens(database, clock, config));
  RETURN_IF_ERROR(tokens->Read());
  return tokens;
}

absl::Status AccessTokens::Read() {
  ASSIGN_OR_RETURN(std::vector<AccessTokenRow> rows, table_.Read(clock_.Now()));
  absl::MutexLock lock(&mutex_);
  for (AccessTokenRow& row : rows) {
    if (row.revoked_at) {
      dead_[row.token.id] = {*row.revoked_at, true};
      continue;
    }
    const std::string id = row.token.id;
    const absl::Time written = row.token.used_at.value_or(absl::InfinitePast());
    by_hash_[row.hash] = id;
    live_[id] = {std::move(row.token), std::move(row.hash), written};
  }
  return absl::OkStatus();
}

size_t AccessTokens::CountOf(Uid owner) {
  return static_cast<size_t>(std::count_if(
      live_.begin(), live_.end(),
      [&](const auto& row) { return row.second.token.uid == owner; }));
}

absl::StatusOr<NewAccessToken> AccessTokens::Create(
    const Session& owner, const std::string& name,
    const std::vector<std::string>& scopes, absl::Time expires_at) {
  RETURN_IF_ERROR(CheckTokenName(name));
  RETURN_IF_ERROR(CheckTokenScopes(owner.role, scopes));
  RETURN_IF_ERROR(CheckTokenExpiry(clock_.Now(), expires_at, config_.max_days));
  const std::set<std::string> once(scopes.begin(), scopes.end());
  NewAccessToken made;
  made.secret = absl::StrCat(std::string(kSecretPrefix),
                             Base64UrlEncode(RandomBytes(kSecretBytes)));
  made.token = {.id = Base64UrlEncode(RandomBytes(kIdBytes)),
                .uid = owner.uid,
                .username = owner.username,
                .name = name,
                .scopes = {once.begin(), once.end()},
                .created_at = clock_.Now(),
                .expires_at = expires_at};
  const std::string hash = Sha256(made.secret);
  {
    // It takes its place before it is on the disk, so that tokens which are
    // made at the same time are counted; nobody knows its secret yet.
    absl::MutexLock lock(&mutex_);
    if (CountOf(owner.uid) >= static_cast<size_t>(config_.most_per_user)) {
      return absl::ResourceExhaustedError(
          absl::StrCat("you have ", config_.most_per_user,
                       " access tokens: revoke one first"));
    }
    live_[made.token.id] = {made.token, hash};
  }
  const absl::Status written = table_.Insert({made.token, hash});
  absl::MutexLock lock(&mutex_);
  if (!written.ok()) {
    live_.erase(made.token.id);
    LogWarning("access token not recorded", {{"error", written.ToString()}});
    return absl::UnavailableError(
        "the access token cannot be written down now: try again");
  }
  if (!live_.contains(made.token.id)) {
    // RevokeAllOf came in between, and told the disk of a row not there yet.
    dead_[made.token.id].written = false;
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
  AccessToken& token = live_.at(named->second).token;
  if (now >= token.expires_at) return NoSuchToken();
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

std::vector<AccessToken> AccessTokens::UsedSince(absl::Time since) {
  absl::MutexLock lock(&mutex_);
  absl::flat_hash_map<uint32_t, AccessToken> owners;
  for (const auto& [id, live] : live_) {
    if (live.token.used_at && *live.token.used_at >= since) {
      owners.try_emplace(live.token.uid.value(), live.token);
    }
  }
  std::vector<AccessToken> list;
  for (auto& [uid, token] : owners) list.push_back(std::move(token));
  return list;
}

std::optional<std::string> AccessTokens::OwnerOf(const SessionId& session) {
  if (!IsTokenSession(session)) return std::nullopt;
  absl::MutexLock lock(&mutex_);
  const auto found = live_.find(session.value().substr(kIdPrefix.size()));
  if (found == live_.end() || clock_.Now() >= found->second.token.expires_at) {
    return std::nullopt;
  }
  return found->second.token.username;
}

EndedSession AccessTokens::Kill(const std::string& id) {
  const auto found = live_.find(id);
  const absl::Time now = clock_.Now();
  const EndedSession ended{SessionIdOf(id), now + kLongestUse};
  by_hash_.erase(found->second.hash);
  live_.erase(found);
  dead_[id] = {.revoked_at = now};
  return ended;
}

absl::Status AccessTokens::Revoke(Uid owner, const std::string& id) {
  EndedSession ended;
  {
    absl::MutexLock lock(&mutex_);
    const auto found = live_.find(id);
    if (found == live_.end() || found->second.token.uid != owner) {
      return absl::NotFoundError("you have no such access token");
    }
    ended = Kill(id);
  }
  listener_(ended);
  return WriteRevocations();
}

int AccessTokens::RevokeAllOf(Uid owner) {
  std::vector<EndedSession> ended;
  {
    absl::MutexLock lock(&mutex_);
    std::vector<std::string> ids;
    for (const auto& [id, live] : live_) {
      if (live.token.uid == owner) ids.push_back(id);
    }
    for (const std::string& id : ids) ended.push_back(Kill(id));
  }
  for (const EndedSession& one : ended) listener_(one);
  if (const absl::Status written = WriteRevocations(); !written.ok()) {
    LogWarning("access tokens not recorded", {{"error", written.ToString()}});
  }
  return static_cast<int>(ended.size());
}

std::vector<EndedSession> AccessTokens::Ended() {
  absl::MutexLock lock(&mutex_);
  const absl::Time now = clock_.Now();
  std::vector<EndedSession> list;
  for (const auto& [id, dead] : dead_) {
    const absl::Time forget_after = dead.revoked_at + kLongestUse;
    if (forget_after > now) {
      list.push_back({SessionIdOf(id), forget_after});
    }
  }
  return list;
}

void AccessTokens::OnRevoke(std::function<void(const EndedSession&)> listener) {
  listener_ = std::move(listener);
}

void AccessTokens::Forget(absl::Time now) {
  absl::MutexLock lock(&mutex_);
  absl::erase_if(by_hash_, [&](const auto& row) {
    return live_.at(row.second).token.expires_at <= now;
  });
  absl::erase_if(live_, [&](const auto& row) {
    return row.second.token.expires_at <= now;
  });
  absl::erase_if(dead_, [&](const auto& row) {
    return row.second.written && row.second.revoked_at + kLongestUse <= now;
  });
}

void AccessTokens::Sweep() {
  const absl::Time now = clock_.Now();
  absl::Status written = WriteRevocations();
  Forget(now);
  if (written.ok()) written = WriteUses();
  if (written.ok()) written = table_.Delete(now, now - kLongestUse);
  if (!written.ok()) {
    LogWarning("access tokens not recorded", {{"error", written.ToString()}});
  }
}

absl::Status AccessTokens::WriteRevocations() {
  std::vector<AccessTokenTable::Revocation> revocations;
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& [id, dead] : dead_) {
      if (!dead.written) revocations.push_back({id, dead.revoked_at});
    }
  }
  RETURN_IF_ERROR(table_.WriteRevocations(revocations));
  absl::MutexLock lock(&mutex_);
  for (const auto& revocation : revocations) {
    const auto found = dead_.find(revocation.id);
    if (found != dead_.end()) found->second.written = true;
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

bool IsAccessToken(std::string_view text) {
  return text.size() == kSecretPrefix.size() + kSecretText &&
         text.substr(0, kSecretPrefix.size()) == kSecretPrefix;
}

SessionId SessionIdOf(std::string_view token_id) {
  return SessionId(absl::StrCat(std::string(kIdPrefix), std::string(token_id)));
}

bool IsTokenSession(const SessionId& id) {
  return id.value().size() == kIdPrefix.size() + kIdText &&
         id.value().starts_with(kIdPrefix);
}

}  // namespace carme
