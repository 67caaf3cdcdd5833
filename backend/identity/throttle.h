// Slows down those who guess.
#ifndef CARME_BACKEND_IDENTITY_THROTTLE_H_
#define CARME_BACKEND_IDENTITY_THROTTLE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/identity/failure_table.h"
#include "backend/store/database.h"
#include "common/clock.h"

namespace carme {

enum class Guess {
  kPassword,
  kFactor,  // a code, a passkey, a recovery code: the password was right
};

// Thread-safe. Every guess is counted. Ten failures are free; each further one
// closes a door for twice as long as the last: 1 s, 2 s, 4 s, up to a bound. A
// try must find all of its doors open:
//
// | door                                     | bound  | forgotten after |
// | passwords: the account, for strangers    | 60 s   | a day           |
// | factors: the account, for strangers      | 15 min | a day           |
// | the account at one stranger's address    | 1 h    | a day           |
// | the account at a known address           | 30 s   | a day           |
// | the address, for strangers               | 60 s   | an hour         |
// | the IPv6 /48, after 100                  | 60 s   | an hour         |
//
// An address (of IPv6: its /64) is known to an account from which it logged in
// during the last 30 days. A try from there passes by its own door alone, so
// strangers who guess close none of the owner's, not even at one address.
//
// An address that has not failed lately has two tries past the account's door,
// by a door for newcomers (10 s): an attacker with few addresses cannot keep a
// new one of the owner's out by guessing whenever the account's door opens.
//
// 1. A try is counted before it is made, so that parallel tries do not pass
//    together; what was no failure is given back.
// 2. Accounts that do not exist are counted like those that do.
// 3. Counts outlive a restart, but for those of the last seconds before a
//    crash. A guess never waits for the disk.
class Throttle {
 public:
  static constexpr int kFree = 10;
  static constexpr absl::Duration kMostForAccount = absl::Seconds(60);
  static constexpr absl::Duration kMostForFactor = absl::Minutes(15);
  static constexpr absl::Duration kMostForNewcomer = absl::Seconds(10);
  static constexpr int kNewcomersTries = 2;
  static constexpr int kFreeInNetwork = 100;
  static constexpr absl::Duration kMostForStranger = absl::Hours(1);
  static constexpr absl::Duration kMostForKnown = absl::Seconds(30);
  static constexpr absl::Duration kMostForAddress = absl::Seconds(60);
  static constexpr absl::Duration kMemory = absl::Hours(24);
  static constexpr absl::Duration kAddressMemory = absl::Hours(1);
  static constexpr absl::Duration kHabit = absl::Hours(24 * 30);
  static constexpr size_t kMostEntries = FailureTable::kMostRows;

  explicit Throttle(const Clock* clock) : clock_(*clock) {}

  // Counts one try; of the address alone when `account` is empty, because it is
  // not known. RESOURCE_EXHAUSTED says how many seconds to wait; such a
  // call is not counted.
  absl::Status Try(std::string_view account, std::string_view address,
                   Guess guess = Guess::kPassword) ABSL_LOCKS_EXCLUDED(mutex_);
  // The try was no failure, or could not be judged: not counted after all.
  void GiveBack(std::string_view account, std::string_view address,
                Guess guess = Guess::kPassword) ABSL_LOCKS_EXCLUDED(mutex_);
  // The factor was right: besides, the account's failures are forgotten, and
  // the address is known from now on.
  void Succeed(std::string_view account, std::string_view address)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Reads what Save wrote. Call once, before the first try.
  absl::Status Load(Database* database) ABSL_LOCKS_EXCLUDED(mutex_);
  // Writes what has changed since, in one transaction. Call every few seconds
  // and at the end; what could not be written comes with the next call.
  absl::Status Save(Database* database) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  // A door of one try.
  struct Door {
    FailureTable* table;
    std::string key;
  };
  bool IsKnown(std::string_view account, const std::string& from) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsNewcomer(const std::string& pair, const std::string& from) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // All that count the try. The first is the one that newcomers go around.
  std::vector<Door> DoorsOf(std::string_view account, std::string_view address,
                            Guess guess) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void NoteAround(const std::string& pair, bool around)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Undo(std::vector<Door> doors) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::vector<FailureTable*> Tables() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  FailureTable* TableOf(const std::string& kind)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Clock& clock_;
  absl::Mutex mutex_;
  FailureTable accounts_ ABSL_GUARDED_BY(mutex_){
      {"account", kFree, kMostForAccount, kMemory}};
  FailureTable factors_ ABSL_GUARDED_BY(mutex_){
      {"factor", kFree, kMostForFactor, kMemory}};
  FailureTable newcomers_ ABSL_GUARDED_BY(mutex_){
      {"newcomer", kFree, kMostForNewcomer, kAddressMemory}};
  FailureTable networks_ ABSL_GUARDED_BY(mutex_){
      {"network", kFreeInNetwork, kMostForAddress, kAddressMemory}};
  FailureTable strangers_ ABSL_GUARDED_BY(mutex_){
      {"stranger", kFree, kMostForStranger, kMemory}};
  FailureTable known_ ABSL_GUARDED_BY(mutex_){
      {"known", kFree, kMostForKnown, kMemory}};
  FailureTable addresses_ ABSL_GUARDED_BY(mutex_){
      {"address", kFree, kMostForAddress, kAddressMemory}};
  // Account and address of log-ins that succeeded; no door.
  FailureTable habits_ ABSL_GUARDED_BY(mutex_){
      {"habit", kFree, kMostForKnown, kHabit}};
  // Whose last try went around the account's door.
  absl::flat_hash_set<std::string> around_ ABSL_GUARDED_BY(mutex_);
};

// The part of an address that one client can hardly change: all of IPv4, the
// first 64 bits of IPv6. What is no address stays as it is.
std::string ThrottledAddress(std::string_view address);

}  // namespace carme

#endif  // CARME_BACKEND_IDENTITY_THROTTLE_H_
