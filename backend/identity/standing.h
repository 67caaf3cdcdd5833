// Whether people may still be here, and as what: the directory's word, kept
// for some minutes.
#ifndef CARME_BACKEND_IDENTITY_STANDING_H_
#define CARME_BACKEND_IDENTITY_STANDING_H_

#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/identity/directory.h"
#include "common/clock.h"

namespace carme {

// Thread-safe.
//
// 1. A word younger than kGood is given without asking.
// 2. One person is asked for once at a time; who comes meanwhile gets the last
//    word while it is younger than kUsable, else waits.
// 3. While the directory is away its last word counts until kUsable, and it is
//    asked again at most every kPause.
// 4. "Unknown, or not allowed" is never kept.
class Standing {
 public:
  static constexpr absl::Duration kGood = absl::Minutes(5);
  static constexpr absl::Duration kUsable = absl::Minutes(15);
  static constexpr absl::Duration kPause = absl::Seconds(10);

  // Both outlive the object.
  Standing(Directory* directory, const Clock* clock)
      : directory_(*directory), clock_(*clock) {}

  // NOT_FOUND: unknown, or not allowed. UNAVAILABLE: the directory does not
  // say, and has not for too long. May block for the directory.
  absl::StatusOr<Person> Of(const std::string& username)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Drops words that nobody asked for lately. Call now and then.
  void Sweep() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Word {
    Person person;
    absl::Time said_at = absl::InfinitePast();
    absl::Time ask_after = absl::InfinitePast();
    bool asking = false;
  };
  absl::StatusOr<Person> Settle(const std::string& username,
                                absl::StatusOr<Person> answer)
      ABSL_LOCKS_EXCLUDED(mutex_);

  Directory& directory_;
  const Clock& clock_;
  absl::Mutex mutex_;
  absl::flat_hash_map<std::string, Word> words_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme

#endif  // CARME_BACKEND_IDENTITY_STANDING_H_
