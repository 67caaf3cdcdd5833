#include "backend/identity/throttle.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace carme {
namespace {

// Accounts are compared as directories compare them: without case.
std::string AccountName(std::string_view account) {
  return absl::AsciiStrToLower(
      absl::string_view(account.data(), account.size()));
}

std::string Pair(std::string_view account, const std::string& address) {
  return absl::StrCat(AccountName(account), "\n", address);
}

// The /48 of an IPv6 address, which one customer may have; "" for all others.
std::string NetworkOf(std::string_view address) {
  in6_addr v6;
  if (inet_pton(AF_INET6, std::string(address).c_str(), &v6) != 1 ||
      IN6_IS_ADDR_V4MAPPED(&v6)) {
    return "";
  }
  std::memset(&v6.s6_addr[6], 0, 10);
  char text[INET6_ADDRSTRLEN];
  return absl::StrCat(inet_ntop(AF_INET6, &v6, text, sizeof text), "/48");
}

}  // namespace

std::string ThrottledAddress(std::string_view address) {
  in6_addr v6;
  if (inet_pton(AF_INET6, std::string(address).c_str(), &v6) != 1) {
    return std::string(address);
  }
  if (IN6_IS_ADDR_V4MAPPED(&v6)) {
    char text[INET_ADDRSTRLEN];
    return inet_ntop(AF_INET, &v6.s6_addr[12], text, sizeof text);
  }
  std::memset(&v6.s6_addr[8], 0, 8);
  char text[INET6_ADDRSTRLEN];
  return absl::StrCat(inet_ntop(AF_INET6, &v6, text, sizeof text), "/64");
}

bool Throttle::IsKnown(std::string_view account,
                       const std::string& from) const {
  return !account.empty() && habits_.Knows(Pair(account, from), clock_.Now());
}

bool Throttle::IsNewcomer(const std::string& pair,
                          const std::string& from) const {
  const absl::Time now = clock_.Now();
  return strangers_.Failures(pair, now) < kNewcomersTries &&
         addresses_.Failures(from, now) < kNewcomersTries;
}

std::vector<Throttle::Door> Throttle::DoorsOf(std::string_view account,
                                              std::string_view address,
                                              Guess guess) {
  const std::string from = ThrottledAddress(address);
  const bool factor = guess == Guess::kFactor;
  const std::string pair =
      absl::StrCat(factor ? "factor\n" : "", Pair(account, from));
  if (IsKnown(account, from)) return {{&known_, pair}};
  std::vector<Door> doors;
  if (!account.empty()) {
    doors.push_back({factor ? &factors_ : &accounts_, AccountName(account)});
    doors.push_back({&strangers_, pair});
  }
  doors.push_back({&addresses_, from});
  if (const std::string network = NetworkOf(address); !network.empty()) {
    doors.push_back({&networks_, network});
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
  const bool around = shut && doors.front().table == &accounts_ &&
                      IsNewcomer(doors[1].key, ThrottledAddress(address));
  if (around) doors.front().table = &newcomers_;
  absl::Duration wait = absl::ZeroDuration();
  for (const Door& door : doors) {
    wait = std::max(wait, door.table->Wait(door.key, now));
  }
  if (wait > absl::ZeroDuration()) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "too many failed log-ins: try again in ",
        absl::ToInt64Seconds(absl::Ceil(wait, absl::Seconds(1))), " s"));
  }
  for (const Door& door : doors) door.table->Add(door.key, now);
  if (doors.size() > 1) NoteAround(doors[1].key, around);
  return absl::OkStatus();
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
  for (const Guess guess : {Guess::kPassword, Guess::kFactor}) {
    for (const Door& door : DoorsOf(account, address, guess)) {
      if (door.table != &addresses_ && door.table != &networks_) {
        door.table->Erase(door.key);
      }
    }
  }
  habits_.Touch(Pair(account, ThrottledAddress(address)), clock_.Now());
}

std::vector<FailureTable*> Throttle::Tables() {
  return {&accounts_, &factors_,   &newcomers_, &strangers_,
          &known_,    &addresses_, &networks_,  &habits_};
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

}  // namespace carme
