// Sends a request's body on while its answer is awaited.
#ifndef CARME_PROXY_ROUTING_REQUEST_BODY_H_
#define CARME_PROXY_ROUTING_REQUEST_BODY_H_

#include <cstddef>
#include <string>

#include "absl/time/time.h"
#include "common/net/event_loop.h"
#include "common/net/stream.h"
#include "common/net/task.h"
#include "proxy/config/proxy_config.h"
#include "proxy/http/http1_body.h"
#include "proxy/http/http1_head.h"
#include "proxy/limits/portal_limiter.h"
#include "proxy/routing/downstream_codec.h"

namespace carme::proxy {

// On the loop of its streams, which must outlive Done().
//
// When the answer is there before the body is, or the other side takes no
// more, the rest is read and dropped up to a limit: closing a socket that has
// unread bytes would take the answer away from the client (RFC 9112 section
// 9.6).
class RequestBody {
 public:
  RequestBody(DownstreamCodec& codec, net::Stream& upstream,
              const BodyFraming& framing, const ProxyLimits& limits)
      : codec_(codec),
        client_(codec.stream()),
        held_(codec.held()),
        upstream_(upstream),
        progress_(framing),
        limits_(limits),
        done_(client_.loop(), 1) {}

  // Spawn it. `head` goes out together with the body's first bytes.
  net::Task<void> Send(std::string head);

  // The answer is complete: nobody wants the rest any more.
  void Drop();
  net::Latch::Awaiter Done() { return done_.Wait(); }

  // Nothing more is read for it.
  bool ended() const { return ended_; }
  // All of it was sent on.
  bool complete() const { return complete_; }
  // The client's chunks make no sense.
  bool bad() const { return bad_; }
  // It is beyond the limit.
  bool too_large() const { return too_large_; }
  // The client sent nothing for too long, or too little.
  bool late() const { return late_; }
  uint64_t received_bytes() const { return received_; }

 private:
  net::Task<void> Pass(std::string head);
  net::Task<bool> PassOn(std::string head, char* bytes, size_t size);
  // How long the next bytes may take.
  absl::Duration Timeout() const;

  // The end of one without a length, which chunks end for the next hop.
  net::Task<void> PassEnd();

  DownstreamCodec& codec_;
  net::Stream& client_;
  std::string& held_;
  net::Stream& upstream_;
  BodyProgress progress_;
  const ProxyLimits& limits_;
  net::Latch done_;
  bool ended_ = false;
  bool complete_ = false;
  bool bad_ = false;
  bool too_large_ = false;
  bool late_ = false;
  uint64_t received_ = 0;
  int64_t waited_ms_ = 0;  // for the client, in all
  bool dropping_ = false;
  size_t dropped_ = 0;
};

enum class WholeBodyResult {
  kWhole,
  kGone,       // the client has closed the connection or the stream
  kMalformed,  // wrong chunks
  kLate,       // not whole within `timeout`
  kTooLarge,
  kNoMemory,  // the budget is used up
};

// Appends the payload to `body`, up to `max_bytes`; the bytes behind it stay in
// side.held(). Chunks are decoded and trailers dropped. What is held is taken
// from `charge`.
net::Task<WholeBodyResult> ReadWholeBody(DownstreamCodec& codec,
                                         BodyFraming framing, size_t max_bytes,
                                         absl::Duration timeout,
                                         BudgetCharge& charge,
                                         std::string* body);

}  // namespace carme::proxy

#endif  // CARME_PROXY_ROUTING_REQUEST_BODY_H_
