// A semaphore per key for the coroutines of one loop: limits how many may do
// the same thing at once.
//
// Not thread-safe: used on the loop's thread. A waiter suspends its coroutine.
// Only a holder wakes waiters, so a waiter waits no longer than the holders
// run. ConcurrencyLimiter does not fit: it has no waiters, and it has a lock.
#ifndef CARME_PROXY_UPSTREAM_KEYED_SEMAPHORE_H_
#define CARME_PROXY_UPSTREAM_KEYED_SEMAPHORE_H_

#include <coroutine>
#include <cstddef>
#include <deque>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "common/net/event_loop.h"

namespace carme::proxy {

class KeyedSemaphore {
 public:
  KeyedSemaphore(net::EventLoop& loop, size_t max_per_key)
      : loop_(loop), max_per_key_(max_per_key) {}
  KeyedSemaphore(const KeyedSemaphore&) = delete;

  struct Waiter {
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> h) {
      waiter = h;
      semaphore.entries_[key].waiting.push_back(this);
    }
    absl::Status await_resume() const { return status; }
    KeyedSemaphore& semaphore;
    const std::string& key;
    absl::Status status;
    std::coroutine_handle<> waiter;
  };

  // True: acquired; Release() must follow.
  bool TryAcquire(const std::string& key);
  // Call it after TryAcquire() returned false. OK: try again, and call
  // WakeOne() if you do not acquire it then. Else the error that a holder
  // passed to Release().
  Waiter Wait(const std::string& key) { return Waiter{*this, key, {}, {}}; }
  // An error is passed to all waiters.
  void Release(const std::string& key, const absl::Status& for_others);
  // Wakes one waiter, which tries again.
  void WakeOne(const std::string& key);

 private:
  struct Entry {
    size_t taken = 0;
    std::deque<Waiter*> waiting;
  };
  void Wake(Entry* entry, const absl::Status& status);

  net::EventLoop& loop_;
  const size_t max_per_key_;
  absl::flat_hash_map<std::string, Entry> entries_;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_UPSTREAM_KEYED_SEMAPHORE_H_
