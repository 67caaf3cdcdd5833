#include "common/concurrency/thread_pool.h"

#include <utility>

namespace carme {

ThreadPool::ThreadPool(int threads, size_t max_waiting)
    : max_waiting_(max_waiting) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Run(); });
}

ThreadPool::~ThreadPool() {
  {
    absl::MutexLock lock(&mutex_);
    stop_ = true;
  }
  for (std::thread& thread : threads_) thread.join();
}

bool ThreadPool::Add(std::function<void()> task) {
  absl::MutexLock lock(&mutex_);
  if (waiting_.size() >= max_waiting_) return false;
  waiting_.push_back(std::move(task));
  return true;
}

void ThreadPool::Run() {
  while (true) {
    std::function<void()> task;
    {
      absl::MutexLock lock(&mutex_);
      const auto wanted = [this] { return stop_ || !waiting_.empty(); };
      mutex_.Await(absl::Condition(&wanted));
      if (stop_) return;
      task = std::move(waiting_.front());
      waiting_.pop_front();
    }
    task();
  }
}

}  // namespace carme
