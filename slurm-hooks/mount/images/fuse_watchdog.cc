#include "slurm-hooks/mount/images/fuse_watchdog.h"

namespace carme::mount {
namespace {

constexpr timespec kPause = {1, 0};

// 0 once the thread has ended.
int64_t CpuMs(clockid_t clock) {
  timespec used{};
  if (clock_gettime(clock, &used) != 0) return 0;
  return used.tv_sec * int64_t{1000} + used.tv_nsec / 1000000;
}

}  // namespace

FuseWatchdog::Turns* FuseWatchdog::Add(clockid_t clock) {
  Reader& reader = readers_.at(static_cast<size_t>(count_++));
  reader.clock = clock;
  return &reader.turns;
}

bool Progress::IsOverdue(uint32_t turns, int64_t cpu_ms, int64_t max_ms) {
  if (turns % 2 != 0 && turns == seen_) return cpu_ms - cpu_ms_ > max_ms;
  seen_ = turns;
  cpu_ms_ = cpu_ms;
  return false;
}

void FuseWatchdog::Watch(int max_seconds) {
  while (true) {
    clock_nanosleep(CLOCK_MONOTONIC, 0, &kPause, nullptr);
    for (int i = 0; i < count_; ++i) {
      Reader& reader = readers_[static_cast<size_t>(i)];
      if (reader.progress.IsOverdue(reader.turns.load(), CpuMs(reader.clock),
                                    max_seconds * int64_t{1000})) {
        return;
      }
    }
  }
}

}  // namespace carme::mount
