#include "proxy/access/used_ticket_store.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/status.h"
#include "proxy/access/messages.h"

namespace carme::proxy {
namespace {

constexpr char kMagic[8] = {'c', 'a', 'r', 'm', 'e', 't', 'b', '1'};
constexpr size_t kSlots = 1 << 15;
// An entry is stored within this many slots after the one its id maps to.
constexpr size_t kWindow = 64;
// for the lock, with a millisecond between tries
constexpr int kMaxTries = 100;

struct Slot {
  char id[UsedTicketStore::kIdBytes];
  int64_t expires_us;
};

absl::Time BootTime(absl::Time now) {
  timespec up{};
  clock_gettime(CLOCK_BOOTTIME, &up);
  return now - absl::DurationFromTimespec(up);
}

}  // namespace

// The layout in the file. All zeros is an empty table.
struct UsedTicketStore::Table {
  char magic[8];
  int64_t since_us;
  std::array<Slot, kSlots> slots;
};

UsedTicketStore::UsedTicketStore(absl::Time since)
    : table_([] {
        void* memory = mmap(nullptr, sizeof(Table), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) std::abort();
        return static_cast<Table*>(memory);
      }()) {
  table_->since_us = absl::ToUnixMicros(since);
}

absl::StatusOr<std::unique_ptr<UsedTicketStore>> UsedTicketStore::Open(
    const std::string& path, absl::Time now) {
  UniqueFd fd(
      open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd.valid())
    return ErrnoError(errno, absl::StrCat("open \"", path, "\""));
  struct stat info {};
  if (fstat(fd.get(), &info) != 0 || !S_ISREG(info.st_mode) ||
      info.st_uid != geteuid() || (info.st_mode & (S_IRWXG | S_IRWXO)) != 0) {
    return MakePlainError(proxy_access_messages::kFileAccess, {{"path", path}});
  }
  // Allocate the file before it is mapped, so that a full disk is an error here
  // and not a SIGBUS later.
  if (const int error = posix_fallocate(fd.get(), 0, sizeof(Table));
      error != 0) {
    return ErrnoError(error, absl::StrCat("allocate \"", path, "\""));
  }
  void* memory = mmap(nullptr, sizeof(Table), PROT_READ | PROT_WRITE,
                      MAP_SHARED, fd.get(), 0);
  if (memory == MAP_FAILED) {
    return ErrnoError(errno, absl::StrCat("map \"", path, "\""));
  }
  std::unique_ptr<UsedTicketStore> made(
      new UsedTicketStore(std::move(fd), static_cast<Table*>(memory)));
  if (!made->Lock()) {
    return MakePlainError(proxy_access_messages::kFileLocked, {{"path", path}});
  }
  Table& table = *made->table_;
  if (std::memcmp(table.magic, kMagic, sizeof kMagic) != 0 ||
      absl::FromUnixMicros(table.since_us) < BootTime(now)) {
    table.slots.fill({});
    table.since_us = absl::ToUnixMicros(now);
    std::memcpy(table.magic, kMagic, sizeof kMagic);
  }
  made->Unlock();
  return made;
}

UsedTicketStore::~UsedTicketStore() { munmap(table_, sizeof(Table)); }

bool UsedTicketStore::Lock() {
  if (!fd_.valid()) return true;
  // The lock is held for microseconds, unless a process was stopped.
  for (int i = 0; i < kMaxTries; ++i) {
    if (flock(fd_.get(), LOCK_EX | LOCK_NB) == 0) return true;
    usleep(1000);
  }
  return false;
}

void UsedTicketStore::Unlock() {
  if (fd_.valid()) flock(fd_.get(), LOCK_UN);
}

absl::Status UsedTicketStore::MarkUsed(std::string_view id, absl::Time issued,
                                       absl::Time expires, absl::Time now) {
  std::lock_guard lock(mutex_);
  if (!Lock()) return MakePlainError(proxy_access_messages::kTicketsLocked);
  Table& table = *table_;
  const int64_t now_us = absl::ToUnixMicros(now);
  // Created with a clock that was ahead: all tickets would be older.
  if (table.since_us > now_us) {
    table.since_us = now_us - absl::ToInt64Microseconds(kMaxTicketLifetime);
  }
  absl::Status used_tickets;
  if (absl::ToUnixMicros(issued) < table.since_us) {
    used_tickets = MakePlainError(proxy_access_messages::kTicketTooOld);
  }
  size_t first_slot = 0;
  std::memcpy(&first_slot, id.data(), sizeof first_slot);
  Slot* free = nullptr;
  for (size_t i = 0; used_tickets.ok() && i < kWindow; ++i) {
    Slot& slot = table.slots[(first_slot + i) % kSlots];
    const bool expired = slot.expires_us <= now_us;
    if (!expired && std::memcmp(slot.id, id.data(), kIdBytes) == 0) {
      used_tickets = MakePlainError(proxy_access_messages::kTicketUsed);
    }
    if (expired && free == nullptr) free = &slot;
  }
  // An unexpired entry must not be overwritten, or its ticket would work again.
  if (used_tickets.ok() && free == nullptr) {
    used_tickets = MakePlainError(proxy_access_messages::kTooManyTickets);
  }
  if (used_tickets.ok()) {
    std::memcpy(free->id, id.data(), kIdBytes);
    free->expires_us = absl::ToUnixMicros(expires);
  }
  Unlock();
  return used_tickets;
}

}  // namespace carme::proxy
