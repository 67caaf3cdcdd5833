// Forwards or reads the body of a request.
#ifndef CARME_PROXY_ROUTING_REQUEST_BODY_H_
#define CARME_PROXY_ROUTING_REQUEST_BODY_H_

#include <cstddef>
#include <string>

#include "absl/time/time.h"
#include "common/http1/body.h"
#include "common/http1/head.h"
#include "common/net/event_loop.h"
#include "common/net/stream.h"
#include "common/net/task.h"
#include "proxy/config/proxy_config.h"
#include "proxy/limits/portal_limiter.h"
#include "proxy/routing/downstream_codec.h"

namespace carme::proxy {

// Sends a body to the upstream while the response is awaited. Used on the loop
// of its streams, which must outlive Done().
//
// When the response arrives before the body, or the upstream stops reading, the
// rest is read and dropped up to a limit: closing a socket with unread bytes
// could discard the response (RFC 9112 section 9.6).
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

  // Spawn it. `head` is sent together with the first bytes of the body.
  net::Task<void> Send(std::string head);

  // The response is complete: drop the rest.
  void Drop();
  net::Latch::Awaiter Done() { return done_.Wait(); }

  // Nothing more will be read.
  bool ended() const { return ended_; }
  // The whole body was sent.
  bool complete() const { return complete_; }
  // The client sent invalid chunks.
  bool bad() const { return bad_; }
  // The body exceeds the limit.
  bool too_large() const { return too_large_; }
  // The client sent nothing for too long, or too slowly.
  bool late() const { return late_; }
  uint64_t received_bytes() const { return received_; }

 private:
  net::Task<void> Forward(std::string head);
  net::Task<bool> ForwardBytes(std::string head, char* bytes, size_t size);
  // The timeout for the next bytes.
  absl::Duration Timeout() const;

  // Ends a body without a length, which the upstream gets in chunks.
  net::Task<void> ForwardEnd();

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
  int64_t waited_ms_ = 0;  // for the client, in total
  bool dropping_ = false;
  size_t dropped_ = 0;
};

enum class WholeBodyResult {
  kWhole,
  kGone,       // the client closed the connection or stream
  kMalformed,  // invalid chunks
  kLate,       // not complete within `timeout`
  kTooLarge,
  kNoMemory,  // the budget is used up
};

// Appends the payload to `body`, up to `max_bytes`. Bytes after the body stay
// in codec.held(). Decodes chunks, drops trailers. Takes the bytes it holds
// from `charge`.
net::Task<WholeBodyResult> ReadWholeBody(DownstreamCodec& codec,
                                         BodyFraming framing, size_t max_bytes,
                                         absl::Duration timeout,
                                         BudgetCharge& charge,
                                         std::string* body);

}  // namespace carme::proxy

#endif  // CARME_PROXY_ROUTING_REQUEST_BODY_H_
