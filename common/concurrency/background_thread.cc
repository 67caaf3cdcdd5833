#include "common/concurrency/background_thread.h"

#include <pthread.h>

#include <utility>

namespace carme {

void BackgroundThread::Start(const char* name, Step step) {
  thread_ = std::thread([this, name, step = std::move(step)] {
    Run(name, step, absl::ZeroDuration());
  });
}

void BackgroundThread::Start(const char* name, absl::Duration interval,
                             std::function<void()> function) {
  thread_ = std::thread([this, name, interval, function = std::move(function)] {
    const auto step = [&] {
      function();
      return interval;
    };
    Run(name, step, interval);
  });
}

void BackgroundThread::Wake() {
  absl::MutexLock lock(&mutex_);
  woken_ = true;
}

void BackgroundThread::RequestStop() {
  absl::MutexLock lock(&mutex_);
  stop_ = true;
}

void BackgroundThread::Stop() {
  RequestStop();
  if (thread_.joinable()) thread_.join();
}

bool BackgroundThread::stopping() const {
  absl::MutexLock lock(&mutex_);
  return stop_;
}

bool BackgroundThread::SleepFor(absl::Duration pause) {
  absl::MutexLock lock(&mutex_);
  return !mutex_.AwaitWithTimeout(absl::Condition(&stop_), pause);
}

void BackgroundThread::Run(const char* name, const Step& step,
                           absl::Duration pause) {
  pthread_setname_np(pthread_self(), name);
  while (true) {
    {
      absl::MutexLock lock(&mutex_);
      mutex_.AwaitWithTimeout(
          absl::Condition(this, &BackgroundThread::ShouldCall), pause);
      if (stop_) return;
      woken_ = false;
    }
    pause = step();
  }
}

}  // namespace carme
