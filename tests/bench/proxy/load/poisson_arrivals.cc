#include "tests/bench/proxy/load/poisson_arrivals.h"

#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <utility>

#include "tests/bench/proxy/load/load.h"
#include "tests/bench/proxy/load/report.h"

namespace carme::bench {

PoissonArrivals::PoissonArrivals(net::EventLoop& loop, double rate,
                                 const std::atomic<bool>& stopping)
    : loop_(loop),
      stopping_(stopping),
      timer_(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK)),
      distance_s_(rate),
      next_ns_(NowNs()) {
  if (!timer_.valid() || !loop_.Add(timer_.get(), EPOLLIN, this).ok()) {
    GiveUp("no timer");
  }
  Arm();
}

PoissonArrivals::~PoissonArrivals() { loop_.Remove(timer_.get(), this); }

void PoissonArrivals::Arm() {
  itimerspec when{};
  when.it_value.tv_sec = next_ns_ / 1'000'000'000;
  when.it_value.tv_nsec = next_ns_ % 1'000'000'000;
  timerfd_settime(timer_.get(), TFD_TIMER_ABSTIME, &when, nullptr);
}

int64_t PoissonArrivals::Take() {
  if (ended_ || due_.empty()) return 0;
  const int64_t due = due_.front();
  due_.pop_front();
  return due;
}

void PoissonArrivals::OnEvents(uint32_t) {
  uint64_t times = 0;
  [[maybe_unused]] ssize_t got = read(timer_.get(), &times, sizeof times);
  if (stopping_) {
    ended_ = true;
    for (auto& waiter : std::exchange(waiting_, {})) loop_.Schedule(waiter);
    return;
  }
  for (const int64_t now = NowNs(); next_ns_ <= now;) {
    due_.push_back(next_ns_);
    next_ns_ += static_cast<int64_t>(distance_s_(random_) * 1e9);
    if (waiting_.empty()) continue;
    std::coroutine_handle<> waiter = waiting_.back();
    waiting_.pop_back();
    waiter.resume();
  }
  Arm();
}

}  // namespace carme::bench
