#include "slurm-hooks/hooks/scratch_trash.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/status.h"
#include "slurm-hooks/hooks/messages.h"

namespace carme::hooks {
namespace {

constexpr char kTrash[] = "trash";
constexpr int kOpenTrash = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
// Bytes freed at a time, with pauses between: a disk that gets a large discard
// at once (mount option "discard") blocks other requests.
constexpr off_t kMaxTruncateBytes = off_t{128} << 20;
constexpr absl::Duration kRest = absl::Milliseconds(20);
constexpr int kNiceness = 10;
// ioprio_set(2): glibc has no wrapper, and <linux/ioprio.h> of Linux 6.1.192 is
// not valid C++.
constexpr int kIoprioWhoProcess = 1;
constexpr int kIoprioClassIdle = 3;
constexpr int kIoprioClassShift = 13;

enum class Speed { kFast, kSlow };

absl::StatusOr<UniqueFd> OpenTrash(int jobs) {
  UniqueFd fd(openat(jobs, kTrash, kOpenTrash));
  if (!fd.valid()) return ErrnoError(errno, "open the trash");
  struct stat info {};
  if (fstat(fd.get(), &info) != 0 || info.st_uid != 0 ||
      (info.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    return MakePlainError(hook_messages::kTrashNotRoots);
  }
  return fd;
}

absl::StatusOr<std::vector<std::string>> NamesIn(int trash) {
  const int again = openat(trash, ".", kOpenTrash);
  std::unique_ptr<DIR, int (*)(DIR*)> stream(
      again >= 0 ? fdopendir(again) : nullptr, closedir);
  if (stream == nullptr) return ErrnoError(errno, "read the trash");
  std::vector<std::string> names;
  while (const dirent* entry = readdir(stream.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  return names;
}

// Two processes may truncate the same file: a file that the slower one extends
// again is empty.
absl::Status Free(int trash, const std::string& name, Speed speed,
                  absl::Time deadline) {
  const UniqueFd file(openat(trash, name.c_str(),
                             O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat info {};
  if (file.valid() && fstat(file.get(), &info) == 0) {
    for (off_t left = info.st_size; left > 0;) {
      if (absl::Now() > deadline) {
        return MakePlainError(hook_messages::kDiskTooSlow);
      }
      left = std::max(off_t{0}, left - kMaxTruncateBytes);
      if (ftruncate(file.get(), left) != 0) break;  // unlinked at once, then
      if (speed == Speed::kSlow) absl::SleepFor(kRest);
    }
  }
  if (unlinkat(trash, name.c_str(), 0) == 0 || errno == ENOENT) {
    return absl::OkStatus();
  }
  return ErrnoError(errno, absl::StrCat("remove \"", name, "\""));
}

// Repeats until nothing can be removed.
absl::Status FreeAll(int trash, Speed speed, absl::Time deadline) {
  while (true) {
    ASSIGN_OR_RETURN(const std::vector<std::string> names, NamesIn(trash));
    bool any = false;
    absl::Status last;
    for (const std::string& name : names) {
      const absl::Status freed = Free(trash, name, speed, deadline);
      if (absl::IsDeadlineExceeded(freed)) return freed;
      any = any || freed.ok();
      last.Update(freed);
    }
    if (!any) return last;
  }
}

// This process keeps only the two descriptors: slurmd waits for the holders of
// its pipe, and signals the hook's process group.
void LeaveCaller(int jobs, int in_use) {
  setsid();
  const int nothing = open("/dev/null", O_RDWR);
  for (int fd = 0; fd <= STDERR_FILENO; ++fd) dup2(nothing, fd);
  const int low = std::min(jobs, in_use < 0 ? jobs : in_use);
  const int high = std::max(jobs, in_use);
  const auto close_from = [](int first, int last) {
    if (first <= last) syscall(SYS_close_range, first, last, 0);
  };
  close_from(STDERR_FILENO + 1, low - 1);
  close_from(low + 1, high - 1);
  syscall(SYS_close_range, high + 1, ~0U, 0);
  if (chdir("/") != 0) _exit(1);
  // Low priority: it runs next to jobs.
  if (nice(kNiceness) == -1) errno = 0;
  syscall(SYS_ioprio_set, kIoprioWhoProcess, 0,
          kIoprioClassIdle << kIoprioClassShift);
}

}  // namespace

absl::Status MoveToTrash(int jobs, const std::string& name) {
  if (mkdirat(jobs, kTrash, 0700) != 0 && errno != EEXIST) {
    return ErrnoError(errno, "make the trash");
  }
  ASSIGN_OR_RETURN(const UniqueFd trash, OpenTrash(jobs));
  for (int number = 0;; ++number) {
    // An earlier run of the same job may still be there.
    const std::string fresh = absl::StrCat(name, ".", number);
    if (renameat2(jobs, name.c_str(), trash.get(), fresh.c_str(),
                  RENAME_NOREPLACE) == 0) {
      return absl::OkStatus();
    }
    if (errno != EEXIST) {
      return ErrnoError(errno, absl::StrCat("move \"", name, "\" away"));
    }
  }
}

absl::Status EmptyTrash(int jobs, absl::Time deadline) {
  const auto trash = OpenTrash(jobs);
  if (absl::IsNotFound(trash.status())) return absl::OkStatus();
  if (!trash.ok()) return trash.status();
  return FreeAll(trash->get(), Speed::kFast, deadline);
}

void EmptyTrashInBackground(int jobs, UniqueFd in_use) {
  const pid_t pid = fork();
  if (pid != 0) return;
  LeaveCaller(jobs, in_use.get());
  in_use.reset();
  const auto trash = OpenTrash(jobs);
  if (!trash.ok() || flock(trash->get(), LOCK_EX) != 0) _exit(1);
  FreeAll(trash->get(), Speed::kSlow, absl::InfiniteFuture()).IgnoreError();
  _exit(0);
}

void EmptyLeftoverTrashInBackground(int jobs) {
  const auto trash = OpenTrash(jobs);
  if (!trash.ok()) return;
  const auto names = NamesIn(trash->get());
  if (!names.ok() || names->empty()) return;
  if (flock(trash->get(), LOCK_EX | LOCK_NB) != 0) return;
  flock(trash->get(), LOCK_UN);
  EmptyTrashInBackground(jobs, UniqueFd());
}

}  // namespace carme::hooks
