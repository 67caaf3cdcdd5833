// Turns at what may be done only so often at once for the same key.
//
// Thread rule: its loop's thread. Whoever waits is waiting on its frame; nobody
// ends a wait but those who have a turn, so it lasts no longer than theirs.
#ifndef CARME_PROXY_TURNS_H_
#define CARME_PROXY_TURNS_H_

#include <coroutine>
#include <cstddef>
#include <deque>
#include <string>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "common/net/event_loop.h"

namespace carme::proxy {

class Turns {
 public:
  Turns(net::EventLoop& loop, size_t most) : loop_(loop), most_(most) {}
  Turns(const Turns&) = delete;

  struct Waiter {
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> h) {
      waiter = h;
      turns.entries_[key].waiting.push_back(this);
    }
    absl::Status await_resume() const { return status; }
    Turns& turns;
    const std::string& key;
    absl::Status status;
    std::coroutine_handle<> waiter;
  };

  // True: it is one's turn, and Leave must follow.
  bool Enter(const std::string& key);
  // After Enter was false. OK: look again, and Nudge if one does not enter
  // then; or what Leave said.
  Waiter Wait(const std::string& key) { return Waiter{*this, key, {}, {}}; }
  // With an error, all who wait have it.
  void Leave(const std::string& key, const absl::Status& for_others);
  // Lets the next one look again.
  void Nudge(const std::string& key);

 private:
  struct Entry {
    size_t taken = 0;
    std::deque<Waiter*> waiting;
  };
  void Wake(Entry* entry, const absl::Status& status);

  net::EventLoop& loop_;
  const size_t most_;
  absl::flat_hash_map<std::string, Entry> entries_;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_TURNS_H_
