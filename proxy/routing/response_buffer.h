// Reads responses of the frontend ahead of their clients, so that a slow client
// does not occupy a connection and thread of the frontend.
#ifndef CARME_PROXY_ROUTING_RESPONSE_BUFFER_H_
#define CARME_PROXY_ROUTING_RESPONSE_BUFFER_H_

#include <coroutine>
#include <cstddef>
#include <string>
#include <string_view>

#include "absl/time/time.h"
#include "common/http1/body.h"
#include "common/net/event_loop.h"
#include "common/net/task.h"
#include "proxy/limits/portal_limiter.h"
#include "proxy/upstream/upstream_pool.h"

namespace carme::proxy {

// Buffers one body: one coroutine fills the buffer, another empties it. Owns
// the upstream connection and closes it as soon as the response has been read.
// Holds up to kMaxBufferedResponse of payload. When only the
// requests' share of `budget` is left, it reads no faster than the client.
//
// Used on the loop of its streams. Must outlive Fill().
class ResponseBuffer {
 public:
  struct Options {
    BodyFraming framing;
    absl::Duration timeout;  // without a byte from the upstream
  };
  ResponseBuffer(net::EventLoop& loop, UpstreamPtr upstream,
                 const Options& options, ByteBudget& budget);
  ResponseBuffer(const ResponseBuffer&) = delete;
  ResponseBuffer& operator=(const ResponseBuffer&) = delete;

  // The bytes that were read with the head. Call it once, before Fill().
  // `bytes` may point into the upstream's `held`; chunks are decoded in place.
  void Begin(char* bytes, size_t size);
  // Spawn it unless ended().
  net::Task<void> Fill();
  // Nothing more is read; the upstream was closed.
  bool ended() const { return ended_; }
  // The response was truncated or malformed.
  bool failed() const { return failed_; }

  // Waits for payload or ended().
  net::Task<void> WaitForBytes();
  // Returns up to `max_bytes` of payload, possibly none.
  std::string Take(size_t max_bytes);
  // All payload was taken and no more will come.
  bool finished() const { return ended_ && buffer_.size() == taken_; }
  // Of a complete chunked body.
  std::string_view trailers() const { return progress_.trailers(); }

  // Closes the upstream connection and drops the rest.
  void Cancel();
  // The client has disconnected. The rest is read and dropped within `timeout`,
  // because the frontend computes the response anyway.
  void Discard(absl::Duration timeout);
  // Waits until Fill() has ended.
  net::Task<void> WaitForEnd();

 private:
  struct Park {
    bool await_ready() const { return false; }
    void await_suspend(std::coroutine_handle<> h) { slot = h; }
    void await_resume() const {}
    std::coroutine_handle<>& slot;
  };
  void Wake(std::coroutine_handle<>* slot);
  // Consumes bytes from the wire. Sets ended_ and failed_.
  void Accept(char* bytes, size_t size);
  void End(bool failed);
  size_t held() const { return buffer_.size() - taken_; }
  bool HasRoom() const;

  net::EventLoop& loop_;
  BudgetCharge charge_;
  UpstreamPtr upstream_;
  BodyProgress progress_;
  const size_t max_bytes_;  // expected size; 0: unknown
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
