// Whether the readers of an image go on: one that computes for long at a single
// question, which an image can be made for, keeps tasks in the kernel that no
// signal ends.
#ifndef CARME_SLURM_HOOKS_MOUNT_IMAGES_FUSE_WATCHDOG_H_
#define CARME_SLURM_HOOKS_MOUNT_IMAGES_FUSE_WATCHDOG_H_

#include <time.h>

#include <array>
#include <atomic>
#include <cstdint>

namespace carme::mount {

// Of one reader, looked at again and again.
class Progress {
 public:
  // `turns` is odd while a question is being answered; `cpu_ms` is what the
  // reader has computed since it began.
  bool IsOverdue(uint32_t turns, int64_t cpu_ms, int64_t max_ms);

 private:
  uint32_t seen_ = 0;
  int64_t cpu_ms_ = 0;  // when that was seen first
};

// One thread watches others of its process. Add() all before Watch().
class FuseWatchdog {
 public:
  static constexpr int kMaxReaders = 4;
  // Odd while a question is being answered; its reader alone changes it.
  using Turns = std::atomic<uint32_t>;

  // For a thread with this clock of processor time.
  Turns* Add(clockid_t clock);

  // Returns when a reader has computed for longer than `max_seconds` at one
  // question. Waiting does not count: a slow file system is no fault of the
  // image's.
  void Watch(int max_seconds);

 private:
  struct Reader {
    clockid_t clock = 0;
    Turns turns = 0;
    Progress progress;
  };

  std::array<Reader, kMaxReaders> readers_;
  int count_ = 0;
};

}  // namespace carme::mount

#endif  // CARME_SLURM_HOOKS_MOUNT_IMAGES_FUSE_WATCHDOG_H_
