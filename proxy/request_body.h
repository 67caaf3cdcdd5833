// Sends a request's body on while its answer is awaited.
#ifndef CARME_PROXY_REQUEST_BODY_H_
#define CARME_PROXY_REQUEST_BODY_H_

#include <string>

#include "absl/time/time.h"
#include "common/net/event_loop.h"
#include "common/net/stream.h"
#include "common/net/task.h"
#include "proxy/body_progress.h"

namespace carme::proxy {

// On the loop of its streams, which must outlive Done().
//
// When the answer is there before the body is, or the other side takes no
// more, the rest is read and dropped up to a limit: closing a socket that has
// unread bytes would take the answer away from the client (RFC 9112 section
// 9.6).
class RequestBody {
 public:
  RequestBody(net::Stream& client, std::string& held, net::Stream& upstream,
              const BodyFraming& framing, absl::Duration timeout)
      : client_(client),
        held_(held),
        upstream_(upstream),
        progress_(framing),
        timeout_(timeout),
        done_(client.loop(), 1) {}

  // Spawn it. `head` goes out together with the body's first bytes.
  net::Task<void> Send(std::string head);

  // The answer is complete: nobody wants the rest any more.
  void Drop();
  net::Latch::Awaiter Done() { return done_.Wait(); }

  // All of it was sent on.
  bool complete() const { return complete_; }
  // The client's chunks make no sense.
  bool bad() const { return bad_; }

 private:
  net::Task<void> Pass(std::string head);
  net::Task<bool> PassOn(std::string head, char* bytes, size_t size);

  net::Stream& client_;
  std::string& held_;
  net::Stream& upstream_;
  BodyProgress progress_;
  const absl::Duration timeout_;
  net::Latch done_;
  bool ended_ = false;
  bool complete_ = false;
  bool bad_ = false;
  bool dropping_ = false;
  size_t dropped_ = 0;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_REQUEST_BODY_H_
