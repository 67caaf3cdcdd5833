#include "common/concurrency/deadlock_detection.h"

#include "absl/synchronization/mutex.h"

namespace carme {

void DisableDeadlockDetection() {
  absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
}

}  // namespace carme
