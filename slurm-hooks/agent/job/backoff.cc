#include "slurm-hooks/agent/job/backoff.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>

#include <cerrno>
#include <coroutine>
#include <cstdint>
#include <utility>

#include "common/random.h"
#include "common/unique_fd.h"

namespace carme::agent {
namespace {

class FineTimer : private net::EventSource {
 public:
  explicit FineTimer(net::EventLoop& loop)
      : loop_(loop),
        fd_(timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC)) {}
  ~FineTimer() override {
    if (watched_) loop_.Remove(fd_.get(), this);
  }

  int Arm(absl::Duration delay) {
    const itimerspec when = {{}, absl::ToTimespec(delay)};
    if (!fd_.valid() || timerfd_settime(fd_.get(), 0, &when, nullptr) != 0) {
      return errno;
    }
    watched_ = loop_.Add(fd_.get(), EPOLLIN | EPOLLET, this).ok();
    return watched_ ? 0 : ENOMEM;
  }

  bool await_ready() const { return false; }
  void await_suspend(std::coroutine_handle<> waiter) { waiter_ = waiter; }
  int await_resume() const { return error_; }

 private:
  void OnEvents(uint32_t) override { End(0); }
  void OnStop() override { End(ECANCELED); }
  void End(int error) {
    if (!waiter_) return;
    error_ = error;
    loop_.Schedule(std::exchange(waiter_, {}));
  }

  net::EventLoop& loop_;
  UniqueFd fd_;
  bool watched_ = false;
  std::coroutine_handle<> waiter_;
  int error_ = 0;
};

}  // namespace

net::Task<int> Pause(net::EventLoop& loop, absl::Duration delay) {
  FineTimer timer(loop);
  const int error = timer.Arm(delay);
  if (error != 0) co_return error;
  co_return co_await timer;
}

absl::Duration Jittered(absl::Duration delay) {
  const auto byte = static_cast<uint8_t>(RandomBytes(1)[0]);
  return delay * (0.5 + byte / 510.0);
}

}  // namespace carme::agent
