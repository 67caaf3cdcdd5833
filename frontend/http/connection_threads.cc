#include "frontend/http/connection_threads.h"

#include <system_error>
#include <thread>
#include <utility>

namespace carme::frontend {

bool ConnectionThreads::Start(std::function<void()> task) {
  {
    absl::MutexLock lock(&mutex_);
    if (running_ >= max_) return false;
    ++running_;
  }
  try {
    std::thread([this, task = std::move(task)]() mutable {
      task();
      task = nullptr;  // destroyed before the slot is released
      Ended();
    }).detach();
  } catch (const std::system_error&) {
    Ended();
    return false;
  }
  return true;
}

// Holds the lock until the end: Join() may destroy this afterwards.
void ConnectionThreads::Ended() {
  absl::MutexLock lock(&mutex_);
  --running_;
}

void ConnectionThreads::Join() {
  absl::MutexLock lock(&mutex_);
  mutex_.Await(absl::Condition(
      +[](int* running) { return *running == 0; }, &running_));
}

int ConnectionThreads::running() const {
  absl::MutexLock lock(&mutex_);
  return running_;
}

}  // namespace carme::frontend
