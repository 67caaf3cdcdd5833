#include "backend/privileged/authz/rate_limits.h"

#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <ctime>

#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace carme::impersonator {
namespace {

constexpr size_t kSlots = 16384;  // active users in a minute
constexpr size_t kMaxProbes = 64;
constexpr int kShare = 4;  // a user gets at most a quarter
constexpr int64_t kMinute_ns = int64_t{60} * 1000 * 1000 * 1000;

// Counters are plain numbers, because untouched memory is zero: a page is
// allocated only when a slot on it is first used.
using Time_ns = std::atomic_ref<int64_t>;
using Uid = std::atomic_ref<uint32_t>;
static_assert(Time_ns::is_always_lock_free && Uid::is_always_lock_free);

// The generic cell rate algorithm (ITU-T I.371): `due` is when the next event
// would occur at an even rate; it may be ahead of the clock by a minute.
bool TakeTokens(Time_ns due, int64_t now, int per_minute, int64_t number = 1) {
  if (number > per_minute) return false;
  const int64_t interval = kMinute_ns / per_minute * number;
  int64_t seen = due.load();
  while (true) {
    const int64_t next = std::max(seen, now) + interval;
    if (next - now > kMinute_ns) return false;
    if (due.compare_exchange_weak(seen, next)) return true;
  }
}

// The counters of one kind of operation.
struct Counters {
  struct Slot {
    uint32_t uid;  // 0: free; root is never allowed
    int64_t due;
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
  if (slot == nullptr || !TakeTokens(Time_ns(slot->due), now_ns, max)) {
    const bool own = max == config_.per_user && kind == OperationKind::kSubmit;
    return TooMany(PluralName(kind), "this user", max,
                   own ? "submissions_per_minute_per_user"
                       : "a quarter of operations_per_minute");
  }
  if (!TakeTokens(Time_ns(counters.due), now_ns, config_.total)) {
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
  if (slot == nullptr || !TakeTokens(Time_ns(slot->due), now_ns, max, tasks)) {
    return TooMany(kWhat, "this user", max, "array_tasks_per_minute_per_user");
  }
  if (!TakeTokens(Time_ns(counters.due), now_ns, kShare * max, tasks)) {
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
