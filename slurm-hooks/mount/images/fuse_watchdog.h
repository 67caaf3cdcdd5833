// Detects image servers that compute for too long on one request, which a
// malicious image can cause: waiting tasks would hang in the kernel and ignore
// signals.
#ifndef CARME_SLURM_HOOKS_MOUNT_IMAGES_FUSE_WATCHDOG_H_
#define CARME_SLURM_HOOKS_MOUNT_IMAGES_FUSE_WATCHDOG_H_

#include <time.h>

#include <array>
#include <atomic>
#include <cstdint>

namespace carme::mount {

// The progress of one reader.
class Progress {
 public:
  // Returns whether the reader has used more than `max_ms` of CPU time on the
  // current request. `turns` is odd during a request; `cpu_ms` is the CPU time
  // since the reader started.
  bool IsOverdue(uint32_t turns, int64_t cpu_ms, int64_t max_ms);

 private:
  uint32_t seen_ = 0;
  int64_t cpu_ms_ = 0;  // CPU time when it was first seen
};

// One thread watches other threads of its process. Call Add() for all of them
// before Watch().
class FuseWatchdog {
 public:
  static constexpr int kMaxReaders = 4;
  // Odd during a request; only its reader changes it.
  using Turns = std::atomic<uint32_t>;

  // Adds a thread with this CPU clock.
  Turns* Add(clockid_t clock);

  // Returns when a reader has used more than `max_seconds` of CPU time on one
  // request. Waiting does not count: a slow file system is not the image's
  // fault.
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
