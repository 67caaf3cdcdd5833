// Limits guessing of passwords and second factors. RateLimiter does not fit:
// these counters count failures, lock for longer and longer times, and refund.
#ifndef CARME_BACKEND_IDENTITY_LOGIN_LOGIN_THROTTLE_H_
#define CARME_BACKEND_IDENTITY_LOGIN_LOGIN_THROTTLE_H_

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "backend/identity/login/failure_table.h"
#include "backend/store/database.h"
#include "common/clock.h"

namespace carme::backend {

enum class Guess {
  kPassword,
  kFactor,  // a code, passkey or recovery code after the right password
  // The same before the password. A code can be guessed, the others cannot.
  kCodeFirst,
  kProofFirst,
  kPasswordAfterFactor,  // a password after the right factor
};

// How many wrong passwords of one account reach the directory, which may lock
// the account. deploy/config/backend.toml explains each key.
struct LoginThrottleConfig {
  int unknown_address_attempts = 3;           // 2 to 20
  int known_address_attempts = 4;             // 1 to 20
  absl::Duration window = absl::Minutes(30);  // 10 min to 30 days
};

// If Try refused a password only because of the counters of the account: the
// time until they unlock. A login with the second factor first need not wait.
// nullopt: refused for another reason.
std::optional<absl::Duration> FactorFirstWait(const absl::Status& refused);

// Thread-safe. Every attempt is counted before it is made. The first failures
// of a counter are free, then the counter is locked for a while. An attempt is
// admitted only if none of its counters is locked:
//
// | counter                                       | free  | then locked for   |
// | passwords: account, unknown addresses         | 2 (*) | the window        |
// | passwords: account, a new address             | 1     | the window        |
// | passwords: account, a known address           | 4     | the window        |
// | passwords: account, after the factor          | 4     | the window        |
// | factors: account, unknown addresses           | 10    | 1 s, 2 s … 15 min |
// | factors: account, a known address (+)         | 10    | 1 s, 2 s … 30 s   |
// | codes first: account, unknown addresses       | 300 (-) | 24 h            |
// | account at one unknown address (+)            | 10    | 1 s, 2 s … 1 h    |
// | unknown address                               | 10    | 1 s, 2 s … 60 s   |
// | IPv6 /56, /48, /32 of an unknown address      | 30, 100, 1000 | 1 s … 60 s
// |
//
// (*) unknown_address_attempts - 1. One attempt is reserved for new addresses,
// which have had hardly any failures recently. An attacker with few addresses
// therefore cannot keep out the owner who comes from a new one.
// (-) The first five codes from an address for the account bypass this counter
// and still count: locking it does not keep out the owner at another address.
// (+) Passwords, factors and codes first are counted separately. Passkeys and
// recovery codes that come first cannot be guessed; from an unknown address
// they pass the address counters only, from a known one they count as a code
// first.
//
// An address (of IPv6: its /64) is a known address of an account for 30 days
// after each successful login from it. An attempt from a known address has a
// separate counter: other clients cannot exhaust it, not even from that
// address.
//
// 1. Within any window, at most unknown_address_attempts passwords from unknown
//    addresses reach the directory for one account, whatever the number of
//    addresses and parallel attempts. Attempts that were no failure are
//    refunded. A right password does not reset the count of wrong ones, because
//    other attempts may be in flight.
// 2. Accounts that do not exist are counted like existing ones.
// 3. A user name counts up to its "@": where users may also type their e-mail
//    address, both are the same account.
// 4. Counters and known addresses survive a restart, except for the last
// seconds
//    before a crash. No attempt waits for the disk. Known addresses are stored
//    as hashes.
class LoginThrottle {
 public:
  static constexpr int kFreeFailures = 10;
  static constexpr absl::Duration kMaxForFactor = absl::Minutes(15);
  static constexpr int kMaxFailuresOfNewAddress = 2;
  static constexpr int kFreeCodes = 300;
  static constexpr absl::Duration kCodesLockout = absl::Hours(24);
  static constexpr int kFreeCodesPerAddress = 5;
  static constexpr int kFreeInPrefix56 = 30;
  static constexpr int kFreeInPrefix48 = 100;
  static constexpr int kFreeInPrefix32 = 1000;
  static constexpr absl::Duration kMaxForUnknownAddress = absl::Hours(1);
  static constexpr absl::Duration kMaxForKnownAddress = absl::Seconds(30);
  static constexpr absl::Duration kMaxForAddress = absl::Seconds(60);
  static constexpr absl::Duration kMemory = absl::Hours(24);
  static constexpr absl::Duration kAddressMemory = absl::Hours(1);
  static constexpr absl::Duration kKnownAddressRetention = absl::Hours(24 * 30);
  static constexpr size_t kMaxKnownAddressesPerAccount = 16;
  static constexpr size_t kMaxKnownAddresses = 65536;
  static constexpr size_t kMaxEntries = FailureTable::kMaxRows;

  explicit LoginThrottle(const Clock* clock,
                         const LoginThrottleConfig& config = {})
      : clock_(*clock), config_(config) {}

  // Counts one attempt; only of the address if `account` is empty (unknown).
  // RESOURCE_EXHAUSTED: locked, with the time to wait; the call is not counted.
  // FactorFirstWait() returns whether only counters of the account are locked.
  absl::Status Try(std::string_view account, std::string_view address,
                   Guess guess = Guess::kPassword) ABSL_LOCKS_EXCLUDED(mutex_);
  // Uncounts an attempt that was no failure or could not be checked.
  void Refund(std::string_view account, std::string_view address,
              Guess guess = Guess::kPassword) ABSL_LOCKS_EXCLUDED(mutex_);
  // The factor was right: refunds the attempt, resets the wrong factors of the
  // account, and adds the known address.
  void RecordSuccess(std::string_view account, std::string_view address)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Adds the known address for another spelling of the user name.
  void AddKnownAddress(std::string_view account, std::string_view address)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Whether the address is a known address of the account.
  bool IsKnownAddress(std::string_view account, std::string_view address)
      ABSL_LOCKS_EXCLUDED(mutex_);

  // Reads what Save wrote. Call once, before the first attempt.
  absl::Status Load(Database* database) ABSL_LOCKS_EXCLUDED(mutex_);
  // Writes changes in one transaction. Call every few seconds and at the end;
  // after a failure the next call writes them.
  absl::Status Save(Database* database) ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  FailureTable* AccountCounter(Guess guess)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // A counter of one attempt.
  struct LimitCounter {
    FailureTable* table;
    std::string key;
  };
  bool IsAddressCounter(const LimitCounter& counter) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsKnown(std::string_view account, const std::string& from) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsNewAddress(const std::string& pair, const std::string& from) const
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The counters of an attempt. New addresses may bypass the first one.
  std::vector<LimitCounter> CountersFor(std::string_view account,
                                        std::string_view address, Guess guess)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Rules of a counter with `free` failures in a window.
  FailureTable::Rules PerWindow(const char* kind, int free) const {
    return {kind, free, config_.window, config_.window, config_.window};
  }
  void RememberAddress(std::string_view account, std::string_view address)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void SetBypassed(const std::string& pair, bool bypasses)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Undo(std::vector<LimitCounter> counters)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  std::vector<FailureTable*> Tables() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  FailureTable* TableOf(const std::string& kind)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const Clock& clock_;
  absl::Mutex mutex_;
  const LoginThrottleConfig config_;
  FailureTable accounts_ ABSL_GUARDED_BY(mutex_){
      PerWindow("account", config_.unknown_address_attempts - 1)};
  FailureTable new_addresses_ ABSL_GUARDED_BY(mutex_){
      PerWindow("new-address", 1)};
  FailureTable known_passwords_ ABSL_GUARDED_BY(mutex_){
      PerWindow("known-password", config_.known_address_attempts)};
  FailureTable passwords_after_factor_ ABSL_GUARDED_BY(mutex_){
      PerWindow("after-factor", config_.known_address_attempts)};
  FailureTable codes_ ABSL_GUARDED_BY(mutex_){
      {"code", kFreeCodes, kCodesLockout, kMemory, kCodesLockout}};
  FailureTable factors_ ABSL_GUARDED_BY(mutex_){
      {"factor", kFreeFailures, kMaxForFactor, kMemory}};
  FailureTable known_factors_ ABSL_GUARDED_BY(mutex_){
      {"known-factor", kFreeFailures, kMaxForKnownAddress, kMemory}};
  FailureTable account_at_address_ ABSL_GUARDED_BY(mutex_){
      {"account-at-address", kFreeFailures, kMaxForUnknownAddress, kMemory}};
  FailureTable addresses_ ABSL_GUARDED_BY(mutex_){
      {"address", kFreeFailures, kMaxForAddress, kAddressMemory}};
  FailureTable prefix56_ ABSL_GUARDED_BY(mutex_){
      {"prefix56", kFreeInPrefix56, kMaxForAddress, kAddressMemory}};
  FailureTable prefix48_ ABSL_GUARDED_BY(mutex_){
      {"prefix48", kFreeInPrefix48, kMaxForAddress, kAddressMemory}};
  FailureTable prefix32_ ABSL_GUARDED_BY(mutex_){
      {"prefix32", kFreeInPrefix32, kMaxForAddress, kAddressMemory}};
  // Successful logins; not a counter.
  FailureTable known_addresses_ ABSL_GUARDED_BY(mutex_){
      {"known-address", kFreeFailures, kMaxForKnownAddress,
       kKnownAddressRetention, absl::Seconds(1), kMaxKnownAddresses}};
  // Keys whose last attempt bypassed the counter of the account.
  absl::flat_hash_set<std::string> bypassed_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_LOGIN_LOGIN_THROTTLE_H_
