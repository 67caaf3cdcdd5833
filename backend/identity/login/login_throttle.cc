#include "backend/identity/login/login_throttle.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "backend/identity/login/messages.h"
#include "backend/identity/login/throttle_address.h"
#include "common/crypto/hash.h"
#include "common/encoding.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// Accounts are compared as directories compare them: without case.
std::string AccountName(std::string_view account) {
  return absl::AsciiStrToLower(
      absl::string_view(account.data(), account.size()));
}

// The same for "ada" and "ada@example.org". Not for known addresses: those of
// the one are not those of the other.
std::string ShortName(std::string_view account) {
  return AccountName(account.substr(0, account.find('@')));
}

std::string Pair(std::string_view account, const std::string& address) {
  return absl::StrCat(AccountName(account), "\n", address);
}

std::string WaitText(absl::Duration wait) {
  if (wait <= absl::Minutes(2)) {
    return FormatMessage(
        login_messages::kWaitSeconds,
        {{"count", absl::ToInt64Seconds(absl::Ceil(wait, absl::Seconds(1)))}});
  }
  if (wait <= absl::Hours(2)) {
    return FormatMessage(
        login_messages::kWaitMinutes,
        {{"count", absl::ToInt64Minutes(absl::Ceil(wait, absl::Minutes(1)))}});
  }
  return FormatMessage(
      login_messages::kWaitHours,
      {{"count", absl::ToInt64Hours(absl::Ceil(wait, absl::Hours(1)))}});
}

constexpr char kFactorFirst[] = "carme/factor-first";

// Separates kinds of attempts for one account and address.
absl::string_view Prefix(Guess guess) {
  switch (guess) {
    case Guess::kFactor:
      return "factor\n";
    case Guess::kCodeFirst:
    case Guess::kProofFirst:
      return "first\n";
    case Guess::kPassword:
    case Guess::kPasswordAfterFactor:
      break;
  }
  return "";
}

// The key prefix of an account's known addresses. Hashes, so that the file does
// not reveal where users work.
std::string KnownAddressPrefix(std::string_view account) {
  return absl::StrCat(Base64UrlEncode(Sha256(AccountName(account))), ".");
}

std::string KnownAddressKey(std::string_view account, const std::string& from) {
  return absl::StrCat(KnownAddressPrefix(account),
                      Base64UrlEncode(Sha256(Pair(account, from))));
}

absl::Status Refusal(Guess guess, absl::Duration of_account,
                     absl::Duration of_address) {
  const bool only_account = of_address <= absl::ZeroDuration();
  const bool password = guess == Guess::kPassword;
  // A password can then be tried after the second factor.
  const absl::Duration wait =
      password && !only_account ? of_address : std::max(of_account, of_address);
  absl::Status refused =
      MakeError(login_messages::kThrottled, {{"wait", WaitText(wait)}});
  if (password && only_account) {
    const int64_t seconds =
        absl::ToInt64Seconds(absl::Ceil(of_account, absl::Seconds(1)));
    refused.SetPayload(kFactorFirst, absl::Cord(absl::StrCat(seconds)));
  }
  return refused;
}

}  // namespace

std::optional<absl::Duration> FactorFirstWait(const absl::Status& refused) {
  const auto wait = refused.GetPayload(kFactorFirst);
  int64_t seconds = 0;
  if (!wait || !absl::SimpleAtoi(std::string(*wait), &seconds)) {
    return std::nullopt;
  }
  return absl::Seconds(seconds);
}

bool LoginThrottle::IsKnown(std::string_view account,
                            const std::string& from) const {
  return !account.empty() && known_addresses_.Contains(
                                 KnownAddressKey(account, from), clock_.Now());
}

bool LoginThrottle::IsNewAddress(const std::string& pair,
                                 const std::string& from) const {
  const absl::Time now = clock_.Now();
  return account_at_address_.Failures(pair, now) < kMaxFailuresOfNewAddress &&
         addresses_.Failures(from, now) < kMaxFailuresOfNewAddress;
}

FailureTable* LoginThrottle::AccountCounter(Guess guess) {
  if (guess == Guess::kPassword) return &accounts_;
  return guess == Guess::kFactor ? &factors_ : &codes_;
}

std::vector<LoginThrottle::LimitCounter> LoginThrottle::CountersFor(
    std::string_view account, std::string_view address, Guess guess) {
  if (guess == Guess::kPasswordAfterFactor)
    return {{&passwords_after_factor_, ShortName(account)}};
  const std::string from = ThrottledAddress(address);
  const std::string pair = absl::StrCat(Prefix(guess), Pair(account, from));
  if (IsKnown(account, from)) {
    return {{guess == Guess::kPassword ? &known_passwords_ : &known_factors_,
             pair}};
  }
  std::vector<LimitCounter> counters;
  if (!account.empty() && guess != Guess::kProofFirst) {
    counters.push_back({AccountCounter(guess), ShortName(account)});
    counters.push_back({&account_at_address_, pair});
  }
  counters.push_back({&addresses_, from});
  const auto networks = ThrottledNetworks(address);
  FailureTable* const tables[] = {&prefix56_, &prefix48_, &prefix32_};
  for (size_t i = 0; i < networks.size() && !networks[i].empty(); ++i) {
    counters.push_back({tables[i], networks[i]});
  }
  return counters;
}

absl::Status LoginThrottle::Try(std::string_view account,
                                std::string_view address, Guess guess) {
  absl::MutexLock lock(&mutex_);
  const absl::Time now = clock_.Now();
  std::vector<LimitCounter> counters = CountersFor(account, address, guess);
  const bool locked = counters.front().table->Wait(counters.front().key, now) >
                      absl::ZeroDuration();
  const bool bypasses =
      locked && counters.front().table == &accounts_ &&
      new_addresses_.Wait(counters.front().key, now) <= absl::ZeroDuration() &&
      IsNewAddress(counters[1].key, ThrottledAddress(address));
  if (bypasses) counters.front().table = &new_addresses_;
  absl::Duration of_account = absl::ZeroDuration();
  absl::Duration of_address = absl::ZeroDuration();
  for (const LimitCounter& counter : counters) {
    const bool skip = counter.table == &codes_ &&
                      account_at_address_.Failures(counters[1].key, now) <
                          kFreeCodesPerAddress;
    if (skip) continue;
    absl::Duration& wait = IsAddressCounter(counter) ? of_address : of_account;
    wait = std::max(wait, counter.table->Wait(counter.key, now));
  }
  if (std::max(of_account, of_address) > absl::ZeroDuration()) {
    return Refusal(guess, of_account, of_address);
  }
  for (const LimitCounter& counter : counters)
    counter.table->Add(counter.key, now);
  if (counters.size() > 1) SetBypassed(counters[1].key, bypasses);
  return absl::OkStatus();
}

bool LoginThrottle::IsAddressCounter(const LimitCounter& counter) const {
  return counter.table == &addresses_ || counter.table == &prefix56_ ||
         counter.table == &prefix48_ || counter.table == &prefix32_;
}

void LoginThrottle::SetBypassed(const std::string& pair, bool bypasses) {
  if (bypassed_.size() >= kMaxEntries) bypassed_.clear();
  if (bypasses) {
    bypassed_.insert(pair);
  } else {
    bypassed_.erase(pair);
  }
}

void LoginThrottle::Undo(std::vector<LimitCounter> counters) {
  // Refund the counter that counted the attempt.
  if (counters.size() > 1 && bypassed_.erase(counters[1].key) == 1) {
    counters.front().table = &new_addresses_;
  }
  for (const LimitCounter& counter : counters) counter.table->Undo(counter.key);
}

void LoginThrottle::Refund(std::string_view account, std::string_view address,
                           Guess guess) {
  absl::MutexLock lock(&mutex_);
  Undo(CountersFor(account, address, guess));
}

void LoginThrottle::RecordSuccess(std::string_view account,
                                  std::string_view address) {
  absl::MutexLock lock(&mutex_);
  Undo(CountersFor(account, address, Guess::kFactor));
  for (const LimitCounter& counter :
       CountersFor(account, address, Guess::kFactor)) {
    const bool is_of_account = counter.table == &factors_ ||
                               counter.table == &known_factors_ ||
                               counter.table == &account_at_address_;
    if (is_of_account) counter.table->Erase(counter.key);
  }
  RememberAddress(account, address);
}

void LoginThrottle::AddKnownAddress(std::string_view account,
                                    std::string_view address) {
  absl::MutexLock lock(&mutex_);
  RememberAddress(account, address);
}

bool LoginThrottle::IsKnownAddress(std::string_view account,
                                   std::string_view address) {
  absl::MutexLock lock(&mutex_);
  return IsKnown(account, ThrottledAddress(address));
}

void LoginThrottle::RememberAddress(std::string_view account,
                                    std::string_view address) {
  const absl::Time now = clock_.Now();
  const std::string key = KnownAddressKey(account, ThrottledAddress(address));
  const bool is_new = !known_addresses_.Contains(key, now);
  known_addresses_.Record(key, now);
  if (is_new)
    known_addresses_.RetainNewest(KnownAddressPrefix(account),
                                  kMaxKnownAddressesPerAccount);
}

std::vector<FailureTable*> LoginThrottle::Tables() {
  return {&accounts_,        &new_addresses_,
          &known_passwords_, &passwords_after_factor_,
          &codes_,           &factors_,
          &known_factors_,   &account_at_address_,
          &addresses_,       &prefix56_,
          &prefix48_,        &prefix32_,
          &known_addresses_};
}

FailureTable* LoginThrottle::TableOf(const std::string& kind) {
  for (FailureTable* table : Tables()) {
    if (table->kind() == kind) return table;
  }
  return nullptr;
}

absl::Status LoginThrottle::Load(Database* database) {
  absl::MutexLock lock(&mutex_);
  return database->Query([&](Database& db) -> absl::Status {
    mutex_.AssertHeld();
    return ReadFailures(db, [this](const StoredFailure& stored) {
      mutex_.AssertHeld();
      FailureTable* table = TableOf(stored.kind);
      if (table != nullptr) table->Restore(stored.key, stored.row);
    });
  });
}

absl::Status LoginThrottle::Save(Database* database) {
  std::vector<FailureTable::Changes> changes;
  {
    absl::MutexLock lock(&mutex_);
    for (FailureTable* table : Tables()) {
      changes.push_back(table->DrainChanges());
    }
  }
  const absl::Status written = WriteFailures(database, changes);
  if (written.ok()) return written;
  absl::MutexLock lock(&mutex_);
  for (const FailureTable::Changes& kind : changes) {
    TableOf(kind.kind)->RestoreChanges(kind);
  }
  return written;
}

}  // namespace carme::backend
