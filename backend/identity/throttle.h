// Slows down those who guess.
#ifndef CARME_BACKEND_IDENTITY_THROTTLE_H_
#define CARME_BACKEND_IDENTITY_THROTTLE_H_

#include <optional>
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

namespace carme::backend {

enum class Guess {
  kPassword,
  kFactor,  // a code, a passkey, a recovery code: the password was right
  // The same before the password. Six digits can be guessed, the others not.
  kEarlyCode,
  kEarlyProof,
  kProved,  // a password: the factor was right
};

// How many wrong passwords of one account reach the directory, which may lock
// it for them. deploy/config/backend.toml explains each key.
struct GuessesConfig {
  int from_strangers = 3;                     // 2 to 20
  int from_known = 4;                         // 1 to 20
  absl::Duration window = absl::Minutes(30);  // 10 min to 30 days
};

// What Try refused of a password because of the account's doors alone: so long
// until they open. Whoever shows a second factor first need not wait. Nothing:
// the refusal was another one.
std::optional<absl::Duration> FactorFirst(const absl::Status& refused);

// Thread-safe. Every guess is counted before it is made; some failures are
// free, then a door shuts. A try must find all of its doors open:
//
// | door                                     | free  | then shut for     |
// | passwords: the account, for strangers    | 2 (*) | the window        |
// | passwords: the account, for a newcomer   | 1     | the window        |
// | passwords: the account, from its habit   | 4     | the window        |
// | passwords: the account, factor shown     | 4     | the window        |
// | factors: the account, for strangers      | 10    | 1 s, 2 s … 15 min |
// | factors: the account, from its habit (+) | 10    | 1 s, 2 s … 30 s   |
// | early codes: the account, for strangers  | 300 (-) | 24 h            |
// | the account at one stranger's address (+) | 10   | 1 s, 2 s … 1 h    |
// | the address, for strangers               | 10    | 1 s, 2 s … 60 s   |
// | the IPv6 /56, /48, /32, for strangers    | 30, 100, 1000 | 1 s … 60 s |
//
// (*) from_strangers but one, which is kept for newcomers: addresses that have
// hardly failed lately. So who guesses from few addresses does not keep the
// owner out who comes from a new one.
// (-) An address's first five for the account pass this door by, and count:
// strangers who shut it keep no owner out who comes from elsewhere.
// (+) Passwords, factors, and early codes each for themselves. An early proof
// that cannot be guessed, of a stranger, passes by the doors of the addresses
// alone; at a habit it counts as an early code.
//
// An address (of IPv6: its /64) is a habit of an account for 30 days after each
// log-in that succeeded there. A try from there passes by its own door alone:
// no stranger shuts the owner's, not even at the same address.
//
// 1. Within any window, no more than from_strangers guesses of strangers reach
//    the directory for one account, from however many addresses, in parallel
//    too. What was no failure is given back; a right password forgets no wrong
//    one, for others may be on their way.
// 2. Accounts that do not exist are counted like those that do.
// 3. A name counts up to its "@": where people may type their address too, it
//    is the same account.
// 4. Counts and habits outlive a restart, but for those of the last seconds
//    before a crash. A guess never waits for the disk. Habits are hashes there.
class Throttle {
 public:
  static constexpr int kFree = 10;
  static constexpr absl::Duration kMostForFactor = absl::Minutes(15);
  static constexpr int kNewcomersTries = 2;
  static constexpr int kFreeCodes = 300;
  static constexpr absl::Duration kCodesShut = absl::Hours(24);
  static constexpr int kFirstCodes = 5;
  static constexpr int kFreeInHome = 30;
  static constexpr int kFreeInSite = 100;
  static constexpr int kFreeInProvider = 1000;
  static constexpr absl::Duration kMostForStranger = absl::Hours(1);
  static constexpr absl::Duration kMostForKnown = absl::Seconds(30);
  static constexpr absl::Duration kMostForAddress = absl::Seconds(60);
  static constexpr absl::Duration kMemory = absl::Hours(24);
  static constexpr absl::Duration kAddressMemory = absl::Hours(1);
  static constexpr absl::Duration kHabit = absl::Hours(24 * 30);
  static constexpr size_t kMostHabitsOfAccount = 16;
  static constexpr size_t kMostHabits = 65536;
  static constexpr size_t kMostEntries = FailureTable::kMostRows;

  explicit Throttle(const Clock* clock, const GuessesConfig& guesses = {})
      : clock_(*clock), guesses_(guesses) {}

  // Counts one try; of the address alone when `account` is empty, because it is
  // not known. RESOURCE_EXHAUSTED says how long to wait; such a
  // call is not counted. FactorFirst tells of it whether the wait is for the
  // account's own door.
  absl::Status Try(std::string_view account, std::string_view address,
                   Guess guess = Guess::kPassword) ABSL_LOCKS_EXCLUDED(mutex_);
  // The try was no failure, or could not be judged: not counted after all.
  void GiveBack(std::string_view account, std::string_view address,
                Guess guess = Guess::kPassword) ABSL_LOCKS_EXCLUDED(mutex_);
  // The factor was right: besides, the account's wrong factors are forgotten,
  // and the address is a habit from now on.
  void Succeed(std::string_view account, std::string_view address)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // The latter alone, for another name that was typed for the account.
  void Welcome(std::string_view account, std::string_view address)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Whether the address is a habit of the account.
  bool Knows(std::string_view account, std::string_view address)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Reads what Save wrote. Call once, before the first try.
  absl::Status Load(Database* database) ABSL_LOCKS_EXCLUDED(mutex_);
  // Writes what has changed since, in one transaction. Call every few seconds
  // and at the end; what could not be written comes with the next call.
  absl::Status Save(Database* database) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  FailureTable* DoorOfAccount(Guess guess)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // A door of one try.
  struct Door {
    FailureTable* table;
    std::string key;
  };
  bool IsOfAddress(const Door& door) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsKnown(std::string_view account, const std::string& from) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsNewcomer(const std::string& pair, const std::string& from) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // All that count the try. The first is the one that newcomers go around.
  std::vector<Door> DoorsOf(std::string_view account, std::string_view address,
                            Guess guess) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Rules of a door with so many places a window.
  FailureTable::Rules Places(const char* kind, int places) const {
    return {kind, places, guesses_.window, guesses_.window, guesses_.window};
  }
  void AddHabit(std::string_view account, std::string_view address)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void NoteAround(const std::string& pair, bool around)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Undo(std::vector<Door> doors) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::vector<FailureTable*> Tables() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  FailureTable* TableOf(const std::string& kind)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Clock& clock_;
  absl::Mutex mutex_;
  const GuessesConfig guesses_;
  FailureTable accounts_ ABSL_GUARDED_BY(mutex_){
      Places("account", guesses_.from_strangers - 1)};
  FailureTable newcomers_ ABSL_GUARDED_BY(mutex_){Places("newcomer", 1)};
  FailureTable known_ ABSL_GUARDED_BY(mutex_){
      Places("known", guesses_.from_known)};
  FailureTable proved_ ABSL_GUARDED_BY(mutex_){
      Places("proved", guesses_.from_known)};
  FailureTable codes_ ABSL_GUARDED_BY(mutex_){
      {"code", kFreeCodes, kCodesShut, kMemory, kCodesShut}};
  FailureTable factors_ ABSL_GUARDED_BY(mutex_){
      {"factor", kFree, kMostForFactor, kMemory}};
  FailureTable known_factors_ ABSL_GUARDED_BY(mutex_){
      {"known-factor", kFree, kMostForKnown, kMemory}};
  FailureTable strangers_ ABSL_GUARDED_BY(mutex_){
      {"stranger", kFree, kMostForStranger, kMemory}};
  FailureTable addresses_ ABSL_GUARDED_BY(mutex_){
      {"address", kFree, kMostForAddress, kAddressMemory}};
  FailureTable homes_ ABSL_GUARDED_BY(mutex_){
      {"home", kFreeInHome, kMostForAddress, kAddressMemory}};
  FailureTable sites_ ABSL_GUARDED_BY(mutex_){
      {"site", kFreeInSite, kMostForAddress, kAddressMemory}};
  FailureTable providers_ ABSL_GUARDED_BY(mutex_){
      {"provider", kFreeInProvider, kMostForAddress, kAddressMemory}};
  // Of log-ins that succeeded; no door.
  FailureTable habits_ ABSL_GUARDED_BY(mutex_){
      {"habit", kFree, kMostForKnown, kHabit, absl::Seconds(1), kMostHabits}};
  // Whose last try went around the account's door.
  absl::flat_hash_set<std::string> around_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_THROTTLE_H_
