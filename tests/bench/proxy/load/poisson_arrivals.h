// Random times at which requests are due, and the coroutines that make them.
#ifndef CARME_TESTS_BENCH_PROXY_LOAD_POISSON_ARRIVALS_H_
#define CARME_TESTS_BENCH_PROXY_LOAD_POISSON_ARRIVALS_H_

#include <atomic>
#include <coroutine>
#include <cstdint>
#include <deque>
#include <random>
#include <vector>

#include "absl/status/status.h"
#include "common/net/event_loop.h"
#include "common/unique_fd.h"

namespace carme::bench {

// Exponential distances, the same in each run. Thread rule: the loop's thread.
class PoissonArrivals : private net::EventSource {
 public:
  // Starts at once. After `stopping` nothing is due, and waiters are resumed.
  PoissonArrivals(net::EventLoop& loop, double rate,
                  const std::atomic<bool>& stopping);
  ~PoissonArrivals() override;

  // `co_await arrivals.Next()`: when the next request was due, as NowNs()
  // returns it; 0 at the end.
  struct Waiter {
    bool await_ready() const {
      return !arrivals.due_.empty() || arrivals.ended_;
    }
    void await_suspend(std::coroutine_handle<> h) {
      arrivals.waiting_.push_back(h);
    }
    int64_t await_resume() const { return arrivals.Take(); }
    PoissonArrivals& arrivals;
  };
  Waiter Next() { return Waiter{*this}; }

 private:
  void OnEvents(uint32_t events) override;
  void OnStop() override {}
  int64_t Take();
  void Arm();

  net::EventLoop& loop_;
  const std::atomic<bool>& stopping_;
  UniqueFd timer_;
  std::mt19937_64 random_{20261122};
  std::exponential_distribution<double> distance_s_;
  int64_t next_ns_;
  std::deque<int64_t> due_;
  std::vector<std::coroutine_handle<>> waiting_;
  bool ended_ = false;
};

}  // namespace carme::bench

#endif  // CARME_TESTS_BENCH_PROXY_LOAD_POISSON_ARRIVALS_H_
