#include "backend/identity/throttle.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "backend/identity/throttle_address.h"
#include "common/encoding.h"
#include "common/hash.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// Accounts are compared as directories compare them: without case.
std::string AccountName(std::string_view account) {
  return absl::AsciiStrToLower(
      absl::string_view(account.data(), account.size()));
}

// The same for "ada" and "ada@example.org". For doors that strangers shut: a
// habit of the one is none of the other.
std::string ShortName(std::string_view account) {
  return AccountName(account.substr(0, account.find('@')));
}

std::string Pair(std::string_view account, const std::string& address) {
  return absl::StrCat(AccountName(account), "\n", address);
}

std::string InWords(absl::Duration wait) {
  if (wait <= absl::Minutes(2)) {
    return absl::StrCat(
        absl::ToInt64Seconds(absl::Ceil(wait, absl::Seconds(1))), " s");
  }
  if (wait <= absl::Hours(2)) {
    return absl::StrCat(
        absl::ToInt64Minutes(absl::Ceil(wait, absl::Minutes(1))), " minutes");
  }
  return absl::StrCat(absl::ToInt64Hours(absl::Ceil(wait, absl::Hours(1))),
                      " hours");
}

constexpr char kFactorFirst[] = "carme/factor-first";

// Guesses of different kinds at one account from one address.
absl::string_view Prefix(Guess guess) {
  switch (guess) {
    case Guess::kFactor:
      return "factor\n";
    case Guess::kEarlyCode:
    case Guess::kEarlyProof:
      return "early\n";
    case Guess::kPassword:
    case Guess::kProved:
      break;
  }
  return "";
}

// What the rows of an account's habits begin with. Hashes, so that the file is
// no list of who works where.
std::string HabitPrefix(std::string_view account) {
  return absl::StrCat(Base64UrlEncode(Sha256(AccountName(account))), ".");
}

std::string HabitKey(std::string_view account, const std::string& from) {
  return absl::StrCat(HabitPrefix(account),
                      Base64UrlEncode(Sha256(Pair(account, from))));
}

absl::Status Refusal(Guess guess, absl::Duration of_account,
                     absl::Duration of_address) {
  const bool only_account = of_address <= absl::ZeroDuration();
  const bool password = guess == Guess::kPassword;
  // For a password the account's door can be gone around then.
  const absl::Duration wait =
      password && !only_account ? of_address : std::max(of_account, of_address);
  absl::Status refused = absl::ResourceExhaustedError(
      absl::StrCat("too many failed log-ins: try again in ", InWords(wait)));
  if (password && only_account) {
    const int64_t seconds =
        absl::ToInt64Seconds(absl::Ceil(of_account, absl::Seconds(1)));
    refused.SetPayload(kFactorFirst, absl::Cord(absl::StrCat(seconds)));
  }
  return refused;
}

}  // namespace

std::optional<absl::Duration> FactorFirst(const absl::Status& refused) {
  const auto wait = refused.GetPayload(kFactorFirst);
  int64_t seconds = 0;
  if (!wait || !absl::SimpleAtoi(std::string(*wait), &seconds)) {
    return std::nullopt;
  }
  return absl::Seconds(seconds);
}

bool Throttle::IsKnown(std::string_view account,
                       const std::string& from) const {
  return !account.empty() &&
         habits_.Knows(HabitKey(account, from), clock_.Now());
}

bool Throttle::IsNewcomer(const std::string& pair,
                          const std::string& from) const {
  const absl::Time now = clock_.Now();
  return strangers_.Failures(pair, now) < kNewcomersTries &&
         addresses_.Failures(from, now) < kNewcomersTries;
}

FailureTable* Throttle::DoorOfAccount(Guess guess) {
  if (guess == Guess::kPassword) return &accounts_;
  return guess == Guess::kFactor ? &factors_ : &codes_;
}

std::vector<Throttle::Door> Throttle::DoorsOf(std::string_view account,
                                              std::string_view address,
                                              Guess guess) {
  if (guess == Guess::kProved) return {{&proved_, ShortName(account)}};
  const std::string from = ThrottledAddress(address);
  const std::string pair = absl::StrCat(Prefix(guess), Pair(account, from));
  if (IsKnown(account, from)) {
    return {{guess == Guess::kPassword ? &known_ : &known_factors_, pair}};
  }
  std::vector<Door> doors;
  if (!account.empty() && guess != Guess::kEarlyProof) {
    doors.push_back({DoorOfAccount(guess), ShortName(account)});
    doors.push_back({&strangers_, pair});
  }
  doors.push_back({&addresses_, from});
  const auto networks = ThrottledNetworks(address);
  FailureTable* const tables[] = {&homes_, &sites_, &providers_};
  for (size_t i = 0; i < networks.size() && !networks[i].empty(); ++i) {
    doors.push_back({tables[i], networks[i]});
  }
  return doors;
}

absl::Status Throttle::Try(std::string_view account, std::string_view address,
                           Guess guess) {
  absl::MutexLock lock(&mutex_);
  const absl::Time now = clock_.Now();
  std::vector<Door> doors = DoorsOf(account, address, guess);
  const bool shut =
      doors.front().table->Wait(doors.front().key, now) > absl::ZeroDuration();
  const bool around =
      shut && doors.front().table == &accounts_ &&
      newcomers_.Wait(doors.front().key, now) <= absl::ZeroDuration() &&
      IsNewcomer(doors[1].key, ThrottledAddress(address));
  if (around) doors.front().table = &newcomers_;
  absl::Duration of_account = absl::ZeroDuration();
  absl::Duration of_address = absl::ZeroDuration();
  for (const Door& door : doors) {
    const bool by = door.table == &codes_ &&
                    strangers_.Failures(doors[1].key, now) < kFirstCodes;
    if (by) continue;
    absl::Duration& wait = IsOfAddress(door) ? of_address : of_account;
    wait = std::max(wait, door.table->Wait(door.key, now));
  }
  if (std::max(of_account, of_address) > absl::ZeroDuration()) {
    return Refusal(guess, of_account, of_address);
  }
  for (const Door& door : doors) door.table->Add(door.key, now);
  if (doors.size() > 1) NoteAround(doors[1].key, around);
  return absl::OkStatus();
}

bool Throttle::IsOfAddress(const Door& door) const {
  return door.table == &addresses_ || door.table == &homes_ ||
         door.table == &sites_ || door.table == &providers_;
}

void Throttle::NoteAround(const std::string& pair, bool around) {
  if (around_.size() >= kMostEntries) around_.clear();
  if (around) {
    around_.insert(pair);
  } else {
    around_.erase(pair);
  }
}

void Throttle::Undo(std::vector<Door> doors) {
  // What others shut stays shut: give back to the door that counted.
  if (doors.size() > 1 && around_.erase(doors[1].key) == 1) {
    doors.front().table = &newcomers_;
  }
  for (const Door& door : doors) door.table->Undo(door.key);
}

void Throttle::GiveBack(std::string_view account, std::string_view address,
                        Guess guess) {
  absl::MutexLock lock(&mutex_);
  Undo(DoorsOf(account, address, guess));
}

void Throttle::Succeed(std::string_view account, std::string_view address) {
  absl::MutexLock lock(&mutex_);
  Undo(DoorsOf(account, address, Guess::kFactor));
  for (const Door& door : DoorsOf(account, address, Guess::kFactor)) {
    const bool is_accounts = door.table == &factors_ ||
                             door.table == &known_factors_ ||
                             door.table == &strangers_;
    if (is_accounts) door.table->Erase(door.key);
  }
  AddHabit(account, address);
}

void Throttle::Welcome(std::string_view account, std::string_view address) {
  absl::MutexLock lock(&mutex_);
  AddHabit(account, address);
}

bool Throttle::Knows(std::string_view account, std::string_view address) {
  absl::MutexLock lock(&mutex_);
  return IsKnown(account, ThrottledAddress(address));
}

void Throttle::AddHabit(std::string_view account, std::string_view address) {
  const absl::Time now = clock_.Now();
  const std::string key = HabitKey(account, ThrottledAddress(address));
  const bool is_new = !habits_.Knows(key, now);
  habits_.Touch(key, now);
  if (is_new) habits_.KeepNewest(HabitPrefix(account), kMostHabitsOfAccount);
}

std::vector<FailureTable*> Throttle::Tables() {
  return {&accounts_, &newcomers_,     &known_,     &proved_,    &codes_,
          &factors_,  &known_factors_, &strangers_, &addresses_, &homes_,
          &sites_,    &providers_,     &habits_};
}

FailureTable* Throttle::TableOf(const std::string& kind) {
  for (FailureTable* table : Tables()) {
    if (table->kind() == kind) return table;
  }
  return nullptr;
}

absl::Status Throttle::Load(Database* database) {
  absl::MutexLock lock(&mutex_);
  return database->Query([&](Database& db) -> absl::Status {
    mutex_.AssertHeld();
    ASSIGN_OR_RETURN(Statement row,
                     db.Prepare("SELECT kind, key, failures, last, opens_at "
                                "FROM failures ORDER BY last DESC"));
    while (true) {
      ASSIGN_OR_RETURN(const bool more, row.Step());
      if (!more) return absl::OkStatus();
      FailureTable* table = TableOf(row.Text(0));
      if (table == nullptr) continue;
      table->Restore(row.Text(1),
                     {.failures = row.Int(2),
                      .last = absl::FromUnixMicros(row.Int(3)),
                      .opens_at = absl::FromUnixMicros(row.Int(4))});
    }
  });
}

absl::Status Throttle::Save(Database* database) {
  std::vector<FailureTable::Changes> changes;
  {
    absl::MutexLock lock(&mutex_);
    for (FailureTable* table : Tables()) {
      changes.push_back(table->TakeChanges());
    }
  }
  const absl::Status written = WriteFailures(database, changes);
  if (written.ok()) return written;
  absl::MutexLock lock(&mutex_);
  for (const FailureTable::Changes& kind : changes) {
    TableOf(kind.kind)->PutBack(kind);
  }
  return written;
}

}  // namespace carme::backend
