#include "backend/privileged/rate_limits.h"

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

constexpr size_t kSlots = 16384;  // users that act within a minute
constexpr size_t kMostProbes = 64;
constexpr int kShare = 4;  // a user has a quarter at most
constexpr int64_t kMinute_ns = int64_t{60} * 1000 * 1000 * 1000;

// Counters are bare numbers, which are nought in memory that nobody has
// touched: so the page of a slot is there from its first user on.
using Time_ns = std::atomic_ref<int64_t>;
using Uid = std::atomic_ref<uint32_t>;
static_assert(Time_ns::is_always_lock_free && Uid::is_always_lock_free);

// The generic cell rate algorithm (ITU-T I.371): `due` is when the next one
// would come if all came evenly; it may run ahead of the clock by a minute.
bool Take(Time_ns due, int64_t now, int per_minute, int64_t number = 1) {
  if (number > per_minute) return false;
  const int64_t interval = kMinute_ns / per_minute * number;
  int64_t seen = due.load();
  while (true) {
    const int64_t next = std::max(seen, now) + interval;
    if (next - now > kMinute_ns) return false;
    if (due.compare_exchange_weak(seen, next)) return true;
  }
}

// The counters of one kind of act.
struct Counters {
  struct Slot {
    uint32_t uid;  // 0: free; root never acts
    int64_t due;
  };
  int64_t due;
  Slot slots[kSlots];

  // The user's own; null when there is no room. One that says nothing any more
  // goes to the next user. Who counts in it just then counts for that one: an
  // act too many at most.
  Slot* SlotOf(uint32_t uid, int64_t now) {
    Slot* const own = Seek(uid);
    if (own != nullptr) return own;
    for (size_t probe = 0; probe < kMostProbes; ++probe) {
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
  // The user's, or a free one.
  Slot* Seek(uint32_t uid) {
    for (size_t probe = 0; probe < kMostProbes; ++probe) {
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

const char* NameOf(ActKind kind) {
  switch (kind) {
    case ActKind::kSubmit:
      return "submissions";
    case ActKind::kCancel:
      return "cancellations";
    case ActKind::kUpdate:
      return "changes";
    case ActKind::kReadLog:
      return "looks at logs";
    case ActKind::kForesee:
      return "questions about a start";
    case ActKind::kReadStorage:
      return "looks at storage";
    case ActKind::kReserve:
      return "reservations";
    case ActKind::kExtend:
      return "extensions";
  }
  return "acts";
}

absl::Status TooMany(absl::string_view what, absl::string_view whose, int limit,
                     absl::string_view key) {
  return absl::ResourceExhaustedError(
      absl::StrCat("too many ", what, " of ", whose, ": the limit is ", limit,
                   " a minute (", key, "): wait a minute"));
}

}  // namespace

struct RateLimits::Shared {
  Counters kinds[kActKinds];
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

int RateLimits::MostOfUser(ActKind kind) const {
  const int share = std::max(1, config_.total / kShare);
  return kind == ActKind::kSubmit ? std::min(share, config_.per_user) : share;
}

absl::Status RateLimits::Admit(ActKind kind, uid_t uid, absl::Duration now) {
  Counters& counters = shared_->kinds[static_cast<int>(kind)];
  const int64_t now_ns = absl::ToInt64Nanoseconds(now);
  const int most = MostOfUser(kind);
  Counters::Slot* const slot = counters.SlotOf(uid, now_ns);
  if (slot == nullptr || !Take(Time_ns(slot->due), now_ns, most)) {
    const bool own = most == config_.per_user && kind == ActKind::kSubmit;
    return TooMany(NameOf(kind), "this user", most,
                   own ? "submissions_per_minute_per_user"
                       : "a quarter of acts_per_minute");
  }
  if (!Take(Time_ns(counters.due), now_ns, config_.total)) {
    return TooMany(NameOf(kind), "all users", config_.total, "acts_per_minute");
  }
  return absl::OkStatus();
}

absl::Status RateLimits::AdmitTasks(uid_t uid, int64_t tasks,
                                    absl::Duration now) {
  if (tasks <= 0) return absl::OkStatus();
  constexpr char kWhat[] = "tasks of arrays";
  Counters& counters = shared_->tasks;
  const int64_t now_ns = absl::ToInt64Nanoseconds(now);
  const int most = config_.tasks_per_user;
  Counters::Slot* const slot = counters.SlotOf(uid, now_ns);
  if (slot == nullptr || !Take(Time_ns(slot->due), now_ns, most, tasks)) {
    return TooMany(kWhat, "this user", most, "array_tasks_per_minute_per_user");
  }
  if (!Take(Time_ns(counters.due), now_ns, kShare * most, tasks)) {
    return TooMany(kWhat, "all users", kShare * most,
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
