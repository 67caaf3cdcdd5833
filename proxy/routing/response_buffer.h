// Reads a response of the frontend ahead of its client, so that a slow client
// does not keep the frontend's connection, and with it one of its threads.
#ifndef CARME_PROXY_ROUTING_RESPONSE_BUFFER_H_
#define CARME_PROXY_ROUTING_RESPONSE_BUFFER_H_

#include <coroutine>
#include <cstddef>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "common/net/event_loop.h"
#include "common/net/task.h"
#include "proxy/http/http1_body.h"
#include "proxy/limits/portal_limiter.h"
#include "proxy/upstream/upstream_pool.h"

namespace carme::proxy {

// One body, with one coroutine that fills the buffer and one that empties it.
// Owns the upstream connection and returns it to the pool as soon as the
// response has been read. Holds up to kMaxBufferedResponse of payload. Where
// `budget` has only the share of requests left, it is read from the upstream no
// faster than the client takes it.
//
// Thread rule: the loop of its streams. Must outlive Fill().
class ResponseBuffer {
 public:
  struct Options {
    BodyFraming framing;
    bool reusable = false;   // the upstream, after this response
    absl::Duration timeout;  // without a byte from the upstream
  };
  ResponseBuffer(net::EventLoop& loop, UpstreamPool& pool, UpstreamPtr upstream,
                 const Options& options, ByteBudget& budget);
  ResponseBuffer(const ResponseBuffer&) = delete;
  ResponseBuffer& operator=(const ResponseBuffer&) = delete;

  // The bytes that were read with the head. Once, before Fill(). `bytes` may
  // lie in the upstream's `held`; chunks are decoded in place.
  void Begin(char* bytes, size_t size);
  // Spawn it unless ended().
  net::Task<void> Fill();
  // Nothing more is read, and the upstream has been returned or closed.
  bool ended() const { return ended_; }
  // The response was cut short or is malformed.
  bool failed() const { return failed_; }

  // Waits until there is something to take, or ended().
  net::Task<void> WaitForBytes();
  // Up to `max_bytes` of payload; may be none.
  std::string Take(size_t max_bytes);
  // All of the payload was taken and nothing more comes.
  bool finished() const { return ended_ && buffer_.size() == taken_; }
  // Of a body in chunks that is whole.
  std::string_view trailers() const { return progress_.trailers(); }

  // Closes the upstream connection: the rest is not wanted.
  void Cancel();
  // The client has gone. What is read from now on is dropped, for at most
  // `timeout`: the frontend computes the response in any case.
  void Discard(absl::Duration timeout);
  // Until Fill() has ended.
  net::Task<void> WaitForEnd();

 private:
  struct Park {
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> h) { slot = h; }
    void await_resume() const {}
    std::coroutine_handle<>& slot;
  };
  void Wake(std::coroutine_handle<>* slot);
  // Takes wire bytes; sets ended_ and failed_.
  void Accept(char* bytes, size_t size);
  void End(bool failed);
  size_t held() const { return buffer_.size() - taken_; }
  bool HasRoom() const;

  net::EventLoop& loop_;
  UpstreamPool& pool_;
  BudgetCharge charge_;
  UpstreamPtr upstream_;
  BodyProgress progress_;
  bool reusable_;
  const size_t max_bytes_;  // known to come; 0: unknown
  const absl::Duration timeout_;
  std::string buffer_;
  size_t taken_ = 0;      // of buffer_
  bool starved_ = false;  // the budget is used up: wait for the client
  bool discard_ = false;
  bool ended_ = false;
  bool failed_ = false;
  std::coroutine_handle<> filler_;  // waits for room
  std::coroutine_handle<> reader_;  // waits for bytes or the end
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_ROUTING_RESPONSE_BUFFER_H_
