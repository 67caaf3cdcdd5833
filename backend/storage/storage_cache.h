// Caches the storage usage of each user, so that a page that stays open, or is
// open in ten tabs, causes one reading a minute.
#ifndef CARME_BACKEND_STORAGE_STORAGE_CACHE_H_
#define CARME_BACKEND_STORAGE_STORAGE_CACHE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/storage/storage_reader.h"
#include "common/clock.h"
#include "common/concurrency/concurrency_limiter.h"

namespace carme::backend {

struct StorageReading {
  std::vector<StorageArea> areas;
  absl::Time read_at;
};

// Thread-safe.
//   1. At most one reading of a user runs at a time; other calls wait for it.
//   2. At most kMaxConcurrent calls read or wait, a quarter of them for one
//      user, so that a file system that does not respond blocks few threads.
//   3. Results are cached for a minute, failures for ten seconds.
class StorageCache {
 public:
  static constexpr int kMaxConcurrent = 16;
  static constexpr int kMaxPerUser = 4;
  static constexpr absl::Duration kFreshFor = absl::Minutes(1);
  static constexpr absl::Duration kRetryAfter = absl::Seconds(10);

  // Both must outlive the cache.
  StorageCache(StorageReader* reader, const Clock* clock)
      : reader_(*reader), clock_(*clock) {}

  // Blocks during a reading. RESOURCE_EXHAUSTED: too many concurrent calls.
  // Other codes are those of the reader.
  absl::StatusOr<StorageReading> Get(const PosixUser& user,
                                     const std::string& request_id);

 private:
  struct Entry {
    absl::StatusOr<StorageReading> reading =
        absl::InternalError("not read yet");
    absl::Time until = absl::InfinitePast();
    bool is_reading = false;
  };
  bool IsFresh(const Entry& entry) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EvictExpired() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Releases the lock during the reading.
  void Read(const PosixUser& user, const std::string& request_id, Entry* entry)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  StorageReader& reader_;
  const Clock& clock_;
  absl::Mutex mutex_;
  ConcurrencyLimiter<Uid> calls_{kMaxConcurrent, kMaxPerUser};
  // Calls with a slot hold pointers to entries.
  absl::flat_hash_map<Uid, std::unique_ptr<Entry>> entries_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_STORAGE_STORAGE_CACHE_H_
