#include "backend/privileged/impersonator/authz/rate_limits.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <ctime>

#include "absl/strings/str_cat.h"
#include "common/concurrency/rate_limiter.h"
#include "common/status.h"

namespace carme::impersonator {
namespace {

constexpr size_t kSlots = 16384;  // active users in a minute
constexpr size_t kMaxProbes = 64;
constexpr int kShare = 4;  // a user gets at most a quarter

// Counters are plain numbers, because untouched memory is zero: a page is
// allocated only when a slot on it is first used.
using Time_ns = std::atomic_ref<int64_t>;
using Uid = std::atomic_ref<uint32_t>;
static_assert(Time_ns::is_always_lock_free && Uid::is_always_lock_free);

RateLimiter PerMinute(int events) {
  return RateLimiter(absl::Minutes(1) / events, events);
}

// The counters of one kind of operation.
struct Counters {
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
      uint32_t owner = Uid(slot.uid).load();
      if (Time_ns(slot.due).load() < now &&
          Uid(slot.uid).compare_exchange_strong(owner, uid)) {
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
      uint32_t owner = Uid(slot.uid).load();
      if (owner == 0 && Uid(slot.uid).compare_exchange_strong(owner, uid)) {
        return &slot;
      }
      if (owner == uid) return &slot;
    }
    return nullptr;
  }
};

const char* PluralName(OperationKind kind) {
  switch (kind) {
    case OperationKind::kSubmit:
      return "submissions";
    case OperationKind::kCancel:
      return "cancellations";
    case OperationKind::kUpdate:
      return "changes";
    case OperationKind::kReadLog:
      return "log reads";
    case OperationKind::kEstimateStart:
      return "start estimates";
    case OperationKind::kReadStorage:
      return "storage reads";
    case OperationKind::kReserve:
      return "reservations";
    case OperationKind::kExtend:
      return "extensions";
  }
  return "operations";
}

absl::Status TooMany(absl::string_view what, absl::string_view whose, int limit,
                     absl::string_view key) {
  return absl::ResourceExhaustedError(
      absl::StrCat("too many ", what, " of ", whose, ": the limit is ", limit,
                   " a minute (", key, "): wait a minute"));
}

}  // namespace

struct RateLimits::Shared {
  Counters kinds[kOperationKinds];
  Counters tasks;
};

absl::StatusOr<std::unique_ptr<RateLimits>> RateLimits::Create(
    const RateLimitsConfig& config) {
  void* const memory = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) return ErrnoError(errno, "mmap");
  return std::unique_ptr<RateLimits>(
      new RateLimits(config, static_cast<Shared*>(memory)));
}

RateLimits::~RateLimits() { munmap(shared_, sizeof(Shared)); }

int RateLimits::MaxPerUser(OperationKind kind) const {
  const int share = std::max(1, config_.total / kShare);
  return kind == OperationKind::kSubmit ? std::min(share, config_.per_user)
                                        : share;
}

absl::Status RateLimits::Admit(OperationKind kind, uid_t uid,
                               absl::Duration now) {
  Counters& counters = shared_->kinds[static_cast<int>(kind)];
  const int64_t now_ns = absl::ToInt64Nanoseconds(now);
  const int max = MaxPerUser(kind);
  Counters::Slot* const slot = counters.SlotFor(uid, now_ns);
  if (slot == nullptr || !PerMinute(max).Allow(Time_ns(slot->due), now_ns)) {
    const bool own = max == config_.per_user && kind == OperationKind::kSubmit;
    return TooMany(PluralName(kind), "this user", max,
                   own ? "submissions_per_minute_per_user"
                       : "a quarter of operations_per_minute");
  }
  if (!PerMinute(config_.total).Allow(Time_ns(counters.due), now_ns)) {
    return TooMany(PluralName(kind), "all users", config_.total,
                   "operations_per_minute");
  }
  return absl::OkStatus();
}

absl::Status RateLimits::AdmitTasks(uid_t uid, int64_t tasks,
                                    absl::Duration now) {
  if (tasks <= 0) return absl::OkStatus();
  constexpr char kWhat[] = "array tasks";
  Counters& counters = shared_->tasks;
  const int64_t now_ns = absl::ToInt64Nanoseconds(now);
  const int max = config_.tasks_per_user;
  Counters::Slot* const slot = counters.SlotFor(uid, now_ns);
  if (slot == nullptr ||
      !PerMinute(max).Allow(Time_ns(slot->due), now_ns, tasks)) {
    return TooMany(kWhat, "this user", max, "array_tasks_per_minute_per_user");
  }
  if (!PerMinute(kShare * max).Allow(Time_ns(counters.due), now_ns, tasks)) {
    return TooMany(kWhat, "all users", kShare * max,
                   "four times array_tasks_per_minute_per_user");
  }
  return absl::OkStatus();
}

absl::Duration RateLimits::Uptime() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return absl::DurationFromTimespec(now);
}

}  // namespace carme::impersonator
