// A cache of directory lookups: who a user is, and whether the user is allowed
// to log in.
#ifndef CARME_BACKEND_IDENTITY_SESSION_DIRECTORY_CACHE_H_
#define CARME_BACKEND_IDENTITY_SESSION_DIRECTORY_CACHE_H_

#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/identity/directory.h"
#include "backend/identity/person_lookup.h"
#include "common/clock.h"

namespace carme::backend {

// Thread-safe.
//
// 1. An entry younger than kFreshFor is returned without a directory lookup.
// 2. At most one lookup per user runs at a time. Concurrent callers get the
//    previous entry if it is younger than kStaleFor, otherwise they wait.
// 3. While the directory is unavailable, entries stay valid until kStaleFor,
// and
//    the directory is queried at most every kRetryAfter.
// 4. Cached() never queries the directory and never blocks.
// 5. "Unknown, or not allowed" is cached for kRetryAfter only. It may be wrong:
// a
//    replica that has just been restored may report it for every user.
class DirectoryCache : public PersonLookup {
 public:
  static constexpr absl::Duration kFreshFor = absl::Minutes(5);
  static constexpr absl::Duration kStaleFor = absl::Minutes(15);
  static constexpr absl::Duration kRetryAfter = absl::Seconds(10);

  struct CachedPerson {
    Person person;
    absl::Time looked_up_at;  // start of the lookup
  };

  // Both must outlive the object.
  DirectoryCache(Directory* directory, const Clock* clock)
      : directory_(*directory), clock_(*clock) {}

  // NOT_FOUND: unknown, or not allowed. UNAVAILABLE: the directory does not
  // respond and the entry is too old. May block for the directory.
  absl::StatusOr<Person> LookUp(std::string_view username) override
      ABSL_LOCKS_EXCLUDED(mutex_);
  // The same, with the time of the lookup.
  absl::StatusOr<CachedPerson> LookUpWithTime(const std::string& username)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // The result of LookUpWithTime without a directory lookup.
  absl::StatusOr<CachedPerson> Cached(const std::string& username)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // The time since which every lookup of the user returned NOT_FOUND; the
  // infinite future if the last one did not, or there is no entry.
  absl::Time MissingSince(const std::string& username)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Evicts entries that were not used recently. Call periodically.
  void EvictUnused() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Entry {
    CachedPerson cached{{}, absl::InfinitePast()};
    absl::Time retry_at = absl::InfinitePast();
    absl::Time missing_since = absl::InfiniteFuture();
    bool lookup_running = false;
  };
  absl::StatusOr<CachedPerson> Store(const std::string& username,
                                     absl::Time looked_up_at,
                                     const absl::StatusOr<Person>& result)
      ABSL_LOCKS_EXCLUDED(mutex_);

  Directory& directory_;
  const Clock& clock_;
  absl::Mutex mutex_;
  absl::flat_hash_map<std::string, Entry> entries_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_SESSION_DIRECTORY_CACHE_H_
