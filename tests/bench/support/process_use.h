// What a process has used, by proc(5).
#ifndef CARME_TESTS_BENCH_SUPPORT_PROCESS_USE_H_
#define CARME_TESTS_BENCH_SUPPORT_PROCESS_USE_H_

#include <string>

#include "absl/time/time.h"

namespace carme {

// Of all its threads.
struct ProcessorTime {
  absl::Duration user;
  absl::Duration kernel;
  absl::Duration all() const { return user + kernel; }
};
ProcessorTime ProcessorTimeOf(const std::string& pid);

// VmRSS and VmHWM of its status: now, and at most since its start.
struct ResidentMemory {
  double now_mb = 0;
  double max_mb = 0;
};
ResidentMemory ResidentMemoryOf(const std::string& pid);

}  // namespace carme

#endif  // CARME_TESTS_BENCH_SUPPORT_PROCESS_USE_H_
