// KeyedSemaphore at what may be done only so often at once for the same key.
//
// Thread rule: its loop's thread. Whoever waits is waiting on its frame; nobody
// ends a wait but those who have a turn, so it lasts no longer than theirs.
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

  // True: it is one's turn, and Release must follow.
  bool TryAcquire(const std::string& key);
  // After TryAcquire was false. OK: look again, and WakeOne if one does not
  // enter then; or what Release said.
  Waiter Wait(const std::string& key) { return Waiter{*this, key, {}, {}}; }
  // With an error, all who wait have it.
  void Release(const std::string& key, const absl::Status& for_others);
  // Lets the next one look again.
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
