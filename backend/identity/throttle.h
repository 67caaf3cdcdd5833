// Slows down those who guess.
#ifndef CARME_BACKEND_IDENTITY_THROTTLE_H_
#define CARME_BACKEND_IDENTITY_THROTTLE_H_

#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/clock.h"

namespace carme {

// Thread-safe. Two counts a try, of the account and of the client's address
// (of its /64 for IPv6). After ten failures each further one closes the door
// for twice as long as the last: 1 s, 2 s, … up to 30 s for an account, 60 s
// for an address. An hour without failures forgets them.
//
// 1. A try is counted before it is made, so that parallel tries do not pass
//    together; what was no failure is given back.
// 2. Accounts that do not exist are counted like those that do.
// 3. Guessing at an account from elsewhere does not slow its owner at an
//    address from which they logged in lately: such a pair has its own count.
// 4. Full tables forget what is oldest.
class Throttle {
 public:
  static constexpr int kFree = 10;
  static constexpr absl::Duration kMostForAccount = absl::Seconds(30);
  static constexpr absl::Duration kMostForAddress = absl::Seconds(60);
  static constexpr absl::Duration kMemory = absl::Hours(1);
  static constexpr absl::Duration kHabit = absl::Hours(24 * 30);
  static constexpr size_t kMostEntries = 8192;

  explicit Throttle(const Clock* clock) : clock_(*clock) {}

  // Counts one try; of the address alone when `account` is empty, because it is
  // not known. RESOURCE_EXHAUSTED says how many seconds to wait; such a
  // call is not counted.
  absl::Status Try(std::string_view account, std::string_view address)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // The try was no failure, or could not be judged: not counted after all.
  void GiveBack(std::string_view account, std::string_view address)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // The log-in is complete: besides, the account's failures are forgotten.
  void Succeed(std::string_view account, std::string_view address)
      ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  struct Count {
    int failures = 0;
    absl::Time last;
    absl::Time opens_at = absl::InfinitePast();
  };
  using Table = absl::flat_hash_map<std::string, Count>;
  std::string AccountKey(std::string_view account, const std::string& address)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  static absl::Duration Wait(const Table& table, const std::string& key,
                             absl::Time now);
  static void Add(Table* table, const std::string& key, absl::Duration most,
                  absl::Time now);
  static void Undo(Table* table, const std::string& key);

  const Clock& clock_;
  absl::Mutex mutex_;
  Table accounts_ ABSL_GUARDED_BY(mutex_);
  Table addresses_ ABSL_GUARDED_BY(mutex_);
  // Account and address of log-ins that succeeded; `last` is when.
  Table habits_ ABSL_GUARDED_BY(mutex_);
};

// The part of an address that one client can hardly change: all of IPv4, the
// first 64 bits of IPv6. What is no address stays as it is.
std::string ThrottledAddress(std::string_view address);

}  // namespace carme

#endif  // CARME_BACKEND_IDENTITY_THROTTLE_H_
