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

namespace carme::backend {

// Thread-safe.
//
// 1. A word younger than kGood is given without asking.
// 2. One person is asked for once at a time; who comes meanwhile gets the last
//    word while it is younger than kUsable, else waits.
// 3. While the directory is away its last word counts until kUsable, and it is
//    asked again at most every kPause.
// 4. Last never asks, and so never waits.
// 5. "Unknown, or not allowed" counts for kPause. It may be a mistake: a
//    replica that came back empty says it of everybody.
class Standing {
 public:
  static constexpr absl::Duration kGood = absl::Minutes(5);
  static constexpr absl::Duration kUsable = absl::Minutes(15);
  static constexpr absl::Duration kPause = absl::Seconds(10);

  struct Word {
    Person person;
    absl::Time asked_at;  // nothing that was known later is in it
  };

  // Both outlive the object.
  Standing(Directory* directory, const Clock* clock)
      : directory_(*directory), clock_(*clock) {}

  // NOT_FOUND: unknown, or not allowed. UNAVAILABLE: the directory does not
  // say, and has not for too long. May block for the directory.
  absl::StatusOr<Word> Of(const std::string& username)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // What Of would say if the directory were not asked.
  absl::StatusOr<Word> Last(const std::string& username)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Since when every word about the person was NOT_FOUND; the infinite future
  // when the last one was not, or there is none. Does not ask.
  absl::Time MissingSince(const std::string& username)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Drops words that nobody asked for lately. Call now and then.
  void Sweep() ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Known {
    Word word{{}, absl::InfinitePast()};
    absl::Time ask_after = absl::InfinitePast();
    absl::Time missing_since = absl::InfiniteFuture();
    bool asking = false;
  };
  absl::StatusOr<Word> Settle(const std::string& username, absl::Time asked_at,
                              const absl::StatusOr<Person>& answer)
      ABSL_LOCKS_EXCLUDED(mutex_);

  Directory& directory_;
  const Clock& clock_;
  absl::Mutex mutex_;
  absl::flat_hash_map<std::string, Known> known_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_STANDING_H_
