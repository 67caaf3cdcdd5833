// What was last read of each user's storage: a page that is open all day, or in
// ten tabs, costs one look a minute.
#ifndef CARME_BACKEND_STORAGE_STORAGE_READINGS_H_
#define CARME_BACKEND_STORAGE_STORAGE_READINGS_H_

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/storage/storage_reader.h"
#include "common/clock.h"

namespace carme::backend {

struct StorageReading {
  std::vector<StorageArea> areas;
  absl::Time read_at;
};

// Thread-safe.
//   1. Nobody's storage is read by two at a time: who comes meanwhile waits for
//      the one that reads.
//   2. At most kMaxInside calls read or wait, a quarter of them one user's: a
//      file system that does not answer holds up few threads.
//   3. What was read is kept for a minute, that it could not be for ten
//   seconds.
class StorageReadings {
 public:
  static constexpr int kMaxInside = 16;
  static constexpr int kMaxOfUser = 4;
  static constexpr absl::Duration kKept = absl::Minutes(1);
  static constexpr absl::Duration kFailureKept = absl::Seconds(10);

  // Both outlive this.
  StorageReadings(StorageReader* reader, const Clock* clock)
      : reader_(*reader), clock_(*clock) {}

  // Blocks while it is read. RESOURCE_EXHAUSTED: too many calls inside. Other
  // codes are the reader's.
  absl::StatusOr<StorageReading> Of(const PosixUser& user,
                                    const std::string& request_id);

 private:
  struct Kept {
    absl::StatusOr<StorageReading> reading = absl::UnknownError("not read yet");
    absl::Time until = absl::InfinitePast();
    bool being_read = false;
    int inside = 0;
  };
  bool IsFresh(const Kept& kept) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  absl::Status Enter(const Kept& kept) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Forget() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Reads with the lock let go of.
  void Read(const PosixUser& user, const std::string& request_id, Kept* kept)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  StorageReader& reader_;
  const Clock& clock_;
  absl::Mutex mutex_;
  int inside_ ABSL_GUARDED_BY(mutex_) = 0;
  // By uid; who is inside holds a pointer.
  std::unordered_map<uint32_t, std::unique_ptr<Kept>> kept_
      ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_STORAGE_STORAGE_READINGS_H_
