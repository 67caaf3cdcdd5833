// How many people are at one step of a log-in at once.
#ifndef CARME_BACKEND_IDENTITY_LOG_IN_PLACES_H_
#define CARME_BACKEND_IDENTITY_LOG_IN_PLACES_H_

#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"

namespace carme::backend {

// Who wants a place, as far as it is known before anything was checked.
struct Claimant {
  // Who has shown something for it: an address that is a habit of the account,
  // or a live challenge, which only its password opens. Empty: a stranger.
  std::string account = {};
  bool at_habit = false;
  std::string address = {};
};

// Thread-safe. Each call waits for the directory, or until its answer may
// leave, with a thread of its own; so the places are few, and
//
// 1. a quarter of them is for those who are no strangers, so that strangers who
//    fill the rest keep nobody out who was here before or knows a password;
// 2. a stranger's address has a quarter at most;
// 3. an account has a few at its habits, and as many elsewhere: who has stolen
//    a password takes none of the owner's.
class LogInPlaces {
 public:
  static constexpr int kMost = 64;
  static constexpr int kMostOfStrangers = 48;
  static constexpr int kMostOfAddress = 16;
  static constexpr int kMostOfAccount = 4;

  // Until its end, if it fits.
  class Place {
   public:
    Place(LogInPlaces* places, const Claimant& claimant);
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;
    ~Place();
    bool fits() const { return fits_; }

   private:
    LogInPlaces& places_;
    const bool stranger_;
    const std::string key_;
    const bool fits_;
  };

 private:
  bool Take(const std::string& key, bool stranger) ABSL_LOCKS_EXCLUDED(mutex_);
  void Leave(const std::string& key, bool stranger) ABSL_LOCKS_EXCLUDED(mutex_);

  absl::Mutex mutex_;
  int taken_ ABSL_GUARDED_BY(mutex_) = 0;
  int strangers_ ABSL_GUARDED_BY(mutex_) = 0;
  // By account, or a stranger's address.
  absl::flat_hash_map<std::string, int> by_key_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_LOG_IN_PLACES_H_
