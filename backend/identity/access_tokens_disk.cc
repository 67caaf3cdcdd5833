// What AccessTokens reads from the disk at the start, and tells it later.
#include <utility>

#include "backend/identity/access_tokens.h"
#include "backend/identity/token_rules.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::backend {

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
    ASSIGN_OR_RETURN(net::Networks networks,
                     ParseTokenAddresses(row.token.addresses));
    live_[id] = {.token = std::move(row.token),
                 .hash = std::move(row.hash),
                 .written_at = written,
                 .networks = std::move(networks)};
  }
  return absl::OkStatus();
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
  if (written.ok()) written = WriteSuspensions();
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
    // What changed meanwhile is written by the next one.
    found->second.suspension_written =
        found->second.token.suspended_at == token.suspended_at;
  }
  return absl::OkStatus();
}

}  // namespace carme::backend
