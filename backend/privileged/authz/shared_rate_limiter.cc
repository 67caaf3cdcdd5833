#include "backend/privileged/authz/shared_rate_limiter.h"

#include <sys/mman.h>

#include <atomic>
#include <cerrno>
#include <ctime>

#include "common/concurrency/rate_limiter.h"
#include "common/status.h"

namespace carme {
namespace {

constexpr size_t kSlots = 16384;  // active users in a minute
constexpr size_t kMaxProbes = 64;

// Counters are plain numbers, because untouched memory is zero: a page is
// allocated only when a slot on it is first used.
using AtomicTime_ns = std::atomic_ref<int64_t>;
using AtomicUid = std::atomic_ref<uint32_t>;
static_assert(AtomicTime_ns::is_always_lock_free &&
              AtomicUid::is_always_lock_free);

RateLimiter PerMinute(int events) {
  return RateLimiter(absl::Minutes(1) / events, events);
}

}  // namespace

struct SharedRateLimiter::Counters {
  struct Slot {
    uint32_t uid;  // 0: free; root is never allowed
    int64_t due;   // RateLimiter's state
  };
  int64_t due;
  Slot slots[kSlots];

  // The user's slot; null if none is free. An expired slot is given to another
  // user. If its previous owner counts in it at that moment, the new owner is
  // charged for at most one operation too many.
  Slot* SlotFor(uint32_t uid, int64_t now) {
    Slot* const own = Find(uid);
    if (own != nullptr) return own;
    for (size_t probe = 0; probe < kMaxProbes; ++probe) {
      Slot& slot = At(uid, probe);
      uint32_t owner = AtomicUid(slot.uid).load();
      if (AtomicTime_ns(slot.due).load() < now &&
          AtomicUid(slot.uid).compare_exchange_strong(owner, uid)) {
        return &slot;
      }
    }
    return nullptr;
  }
  Slot& At(uint32_t uid, size_t probe) {
    return slots[(uid * 2654435761U + probe) % kSlots];
  }
  // The user's slot, or a free one.
  Slot* Find(uint32_t uid) {
    for (size_t probe = 0; probe < kMaxProbes; ++probe) {
      Slot& slot = At(uid, probe);
      uint32_t owner = AtomicUid(slot.uid).load();
      if (owner == 0 &&
          AtomicUid(slot.uid).compare_exchange_strong(owner, uid)) {
        return &slot;
      }
      if (owner == uid) return &slot;
    }
    return nullptr;
  }
};

absl::StatusOr<std::unique_ptr<SharedRateLimiter>> SharedRateLimiter::Create(
    int per_user, int total) {
  void* const memory = mmap(nullptr, sizeof(Counters), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return ErrnoError(errno, "mmap");
  return std::unique_ptr<SharedRateLimiter>(
      new SharedRateLimiter(per_user, total, static_cast<Counters*>(memory)));
}

SharedRateLimiter::~SharedRateLimiter() { munmap(counters_, sizeof(Counters)); }

SharedRateLimiter::Result SharedRateLimiter::Admit(uid_t uid, int64_t number,
                                                   absl::Duration now) {
  const int64_t now_ns = absl::ToInt64Nanoseconds(now);
  Counters::Slot* const slot = counters_->SlotFor(uid, now_ns);
  if (slot == nullptr ||
      !PerMinute(per_user_).Allow(AtomicTime_ns(slot->due), now_ns, number)) {
    return Result::kUserLimit;
  }
  if (!PerMinute(total_).Allow(AtomicTime_ns(counters_->due), now_ns, number)) {
    return Result::kTotalLimit;
  }
  return Result::kAdmitted;
}

absl::Duration SharedRateLimiter::Uptime() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return absl::DurationFromTimespec(now);
}

}  // namespace carme
