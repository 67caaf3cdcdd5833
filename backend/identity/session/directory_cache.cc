#include "backend/identity/session/directory_cache.h"

#include <algorithm>
#include <utility>

#include "backend/identity/session/messages.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

absl::Status Unavailable() {
  return MakeError(session_messages::kDirectoryUnavailable);
}

absl::Status LoginNotAllowed() {
  return MakeError(session_messages::kLoginNotAllowed);
}

}  // namespace

absl::StatusOr<Person> DirectoryCache::LookUp(std::string_view username) {
  ASSIGN_OR_RETURN(CachedPerson found, LookUpWithTime(std::string(username)));
  return std::move(found.person);
}

absl::StatusOr<DirectoryCache::CachedPerson> DirectoryCache::LookUpWithTime(
    const std::string& username) {
  absl::Time looked_up_at;
  {
    absl::MutexLock lock(&mutex_);
    while (true) {
      const absl::Time now = clock_.Now();
      Entry& entry = entries_[username];
      if (now < entry.cached.looked_up_at + kFreshFor) return entry.cached;
      if (!entry.lookup_running && now >= entry.retry_at) {
        entry.lookup_running = true;
        looked_up_at = now;
        break;
      }
      if (now < entry.cached.looked_up_at + kStaleFor) return entry.cached;
      if (!entry.lookup_running) {
        return entry.missing_since <= now ? LoginNotAllowed() : Unavailable();
      }
      const auto finished = [&] { return !entries_[username].lookup_running; };
      mutex_.Await(absl::Condition(&finished));
    }
  }
  return Store(username, looked_up_at, directory_.LookUp(username));
}

absl::StatusOr<DirectoryCache::CachedPerson> DirectoryCache::Store(
    const std::string& username, absl::Time looked_up_at,
    const absl::StatusOr<Person>& result) {
  absl::MutexLock lock(&mutex_);
  Entry& entry = entries_[username];
  entry.lookup_running = false;
  if (result.ok()) {
    entry = Entry{.cached = {*result, looked_up_at}};
    return entry.cached;
  }
  const absl::Time now = clock_.Now();
  entry.retry_at = now + kRetryAfter;
  if (absl::IsNotFound(result.status())) {
    entry.cached.looked_up_at = absl::InfinitePast();
    entry.missing_since = std::min(entry.missing_since, now);
    return LoginNotAllowed();
  }
  if (now < entry.cached.looked_up_at + kStaleFor) return entry.cached;
  return Unavailable();
}

absl::StatusOr<DirectoryCache::CachedPerson> DirectoryCache::Cached(
    const std::string& username) {
  absl::MutexLock lock(&mutex_);
  const auto found = entries_.find(username);
  if (found == entries_.end()) return Unavailable();
  const absl::Time now = clock_.Now();
  const Entry& entry = found->second;
  if (now < entry.cached.looked_up_at + kStaleFor) return entry.cached;
  return entry.missing_since <= now ? LoginNotAllowed() : Unavailable();
}

absl::Time DirectoryCache::MissingSince(const std::string& username) {
  absl::MutexLock lock(&mutex_);
  const auto found = entries_.find(username);
  return found == entries_.end() ? absl::InfiniteFuture()
                                 : found->second.missing_since;
}

void DirectoryCache::EvictUnused() {
  absl::MutexLock lock(&mutex_);
  const absl::Time now = clock_.Now();
  absl::erase_if(entries_, [&](const auto& row) {
    const Entry& entry = row.second;
    const bool missing = entry.missing_since < absl::InfiniteFuture();
    // The entry of a missing person keeps since when they are missing.
    const absl::Duration retention =
        missing ? absl::Hours(1) : absl::ZeroDuration();
    return !entry.lookup_running &&
           now >= entry.cached.looked_up_at + kStaleFor &&
           now >= entry.retry_at + retention;
  });
}

}  // namespace carme::backend
