#include "backend/identity/throttle.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

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

template <typename Table>
void MakeRoom(Table* table, size_t most, absl::Duration memory,
              absl::Time now) {
  if (table->size() < most) return;
  absl::erase_if(
      *table, [&](const auto& row) { return row.second.last + memory <= now; });
  if (table->size() < most) return;
  table->erase(std::min_element(table->begin(), table->end(),
                                [](const auto& a, const auto& b) {
                                  return a.second.last < b.second.last;
                                }));
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

absl::Status Throttle::Try(std::string_view account, std::string_view address) {
  const std::string from = ThrottledAddress(address);
  absl::MutexLock lock(&mutex_);
  const absl::Time now = clock_.Now();
  const std::string key = AccountKey(account, from);
  const absl::Duration wait =
      std::max(Wait(accounts_, key, now), Wait(addresses_, from, now));
  if (wait > absl::ZeroDuration()) {
    return absl::ResourceExhaustedError(absl::StrCat(
        "too many failed log-ins: try again in ",
        absl::ToInt64Seconds(absl::Ceil(wait, absl::Seconds(1))), " s"));
  }
  if (!account.empty()) Add(&accounts_, key, kMostForAccount, now);
  Add(&addresses_, from, kMostForAddress, now);
  return absl::OkStatus();
}

void Throttle::GiveBack(std::string_view account, std::string_view address) {
  const std::string from = ThrottledAddress(address);
  absl::MutexLock lock(&mutex_);
  Undo(&accounts_, AccountKey(account, from));
  Undo(&addresses_, from);
}

void Throttle::Succeed(std::string_view account, std::string_view address) {
  const std::string from = ThrottledAddress(address);
  absl::MutexLock lock(&mutex_);
  const absl::Time now = clock_.Now();
  accounts_.erase(AccountKey(account, from));
  Undo(&addresses_, from);
  MakeRoom(&habits_, kMostEntries, kHabit, now);
  habits_[Pair(account, from)].last = now;
}

std::string Throttle::AccountKey(std::string_view account,
                                 const std::string& address) {
  const std::string pair = Pair(account, address);
  const auto habit = habits_.find(pair);
  const bool known =
      habit != habits_.end() && clock_.Now() < habit->second.last + kHabit;
  return known ? pair : AccountName(account);
}

absl::Duration Throttle::Wait(const Table& table, const std::string& key,
                              absl::Time now) {
  const auto found = table.find(key);
  return found == table.end() ? absl::ZeroDuration()
                              : found->second.opens_at - now;
}

void Throttle::Add(Table* table, const std::string& key, absl::Duration most,
                   absl::Time now) {
  if (!table->contains(key)) MakeRoom(table, kMostEntries, kMemory, now);
  Count& count = (*table)[key];
  if (count.last + kMemory <= now) count.failures = 0;
  count.last = now;
  ++count.failures;
  if (count.failures < kFree) return;
  const int doublings = std::min(count.failures - kFree, 10);
  count.opens_at = now + std::min(absl::Seconds(1 << doublings), most);
}

void Throttle::Undo(Table* table, const std::string& key) {
  const auto found = table->find(key);
  if (found == table->end()) return;
  Count& count = found->second;
  count.opens_at = absl::InfinitePast();
  if (--count.failures <= 0) table->erase(found);
}

}  // namespace carme
