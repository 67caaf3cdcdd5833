#include "backend/privileged/rate_limits.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <ctime>
#include <new>

#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace carme {
namespace {

constexpr size_t kSlots = 16384;  // users that submit within a minute
constexpr size_t kMostProbes = 64;
constexpr int64_t kMinute_ns = int64_t{60} * 1000 * 1000 * 1000;

using Time_ns = std::atomic<int64_t>;
static_assert(Time_ns::is_always_lock_free);

// The generic cell rate algorithm (ITU-T I.371): `due` is when the next one
// would come if all came evenly; it may run ahead of the clock by a minute.
bool Take(Time_ns* due, int64_t now, int per_minute) {
  const int64_t interval = kMinute_ns / per_minute;
  int64_t seen = due->load();
  while (true) {
    const int64_t next = std::max(seen, now) + interval;
    if (next - now > kMinute_ns) return false;
    if (due->compare_exchange_weak(seen, next)) return true;
  }
}

}  // namespace

struct RateLimits::Shared {
  struct Slot {
    std::atomic<uint32_t> uid = 0;  // 0: free; root never acts
    Time_ns due = 0;
  };
  Time_ns due = 0;
  Slot slots[kSlots];

  // The user's own; null when there is no room. One that says nothing any more
  // goes to the next user. Who counts in it just then counts for that one: a
  // submission too many at most.
  Slot* SlotOf(uint32_t uid, int64_t now) {
    Slot* const own = Seek(uid);
    if (own != nullptr) return own;
    for (size_t probe = 0; probe < kMostProbes; ++probe) {
      Slot& slot = At(uid, probe);
      uint32_t owner = slot.uid.load();
      if (slot.due.load() < now &&
          slot.uid.compare_exchange_strong(owner, uid)) {
        return &slot;
      }
    }
    return nullptr;
  }
  Slot& At(uint32_t uid, size_t probe) {
    return slots[(uid * 2654435761U + probe) % kSlots];
  }
  // The user's, or a free one.
  Slot* Seek(uint32_t uid) {
    for (size_t probe = 0; probe < kMostProbes; ++probe) {
      Slot& slot = At(uid, probe);
      uint32_t owner = slot.uid.load();
      if (owner == 0 && slot.uid.compare_exchange_strong(owner, uid)) {
        return &slot;
      }
      if (owner == uid) return &slot;
    }
    return nullptr;
  }
};

absl::StatusOr<std::unique_ptr<RateLimits>> RateLimits::Create(
    const RateLimitsConfig& config) {
  void* const memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return ErrnoError(errno, "mmap");
  return std::unique_ptr<RateLimits>(
      new RateLimits(config, new (memory) Shared));
}

RateLimits::~RateLimits() { munmap(shared_, sizeof(Shared)); }

absl::Status RateLimits::AdmitConnection(absl::Duration now) {
  if (Take(&shared_->due, absl::ToInt64Nanoseconds(now), config_.total)) {
    return absl::OkStatus();
  }
  return absl::ResourceExhaustedError(
      absl::StrCat("too many acts of all users: the limit is ", config_.total,
                   " a minute (acts_per_minute): wait a minute"));
}

absl::Status RateLimits::AdmitSubmission(uid_t uid, absl::Duration now) {
  const int64_t now_ns = absl::ToInt64Nanoseconds(now);
  Shared::Slot* const slot = shared_->SlotOf(uid, now_ns);
  if (slot != nullptr && Take(&slot->due, now_ns, config_.per_user)) {
    return absl::OkStatus();
  }
  return absl::ResourceExhaustedError(absl::StrCat(
      "too many submissions of this user: the limit is ", config_.per_user,
      " a minute (submissions_per_minute_per_user): wait a minute"));
}

absl::Duration RateLimits::Uptime() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return absl::DurationFromTimespec(now);
}

}  // namespace carme
