// What a test and dying_at_step.cc, which is preloaded into the impersonator,
// have in common.
#ifndef CARME_TESTS_BACKEND_PRIVILEGED_DYING_AT_STEP_H_
#define CARME_TESTS_BACKEND_PRIVILEGED_DYING_AT_STEP_H_

#include <sys/types.h>

#include <atomic>

namespace carme::impersonator {

// Names the file that both map.
inline constexpr char kStepsFile[] = "CARME_TEST_STEPS_FILE";

struct StepsPage {
  enum Target { kNone, kRequest, kExecutor };
  std::atomic<int> target;      // whose calls are counted
  std::atomic<int> left;        // calls until it dies, this one included
  std::atomic<int> struck;      // it has
  std::atomic<pid_t> accepted;  // the process that has taken the connection
};

}  // namespace carme::impersonator

#endif  // CARME_TESTS_BACKEND_PRIVILEGED_DYING_AT_STEP_H_
