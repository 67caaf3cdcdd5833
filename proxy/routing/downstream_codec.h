// The client's side of one request, whatever version of HTTP it speaks: what an
// Forwarder needs of it and nothing about the connection that it came on.
#ifndef CARME_PROXY_ROUTING_DOWNSTREAM_CODEC_H_
#define CARME_PROXY_ROUTING_DOWNSTREAM_CODEC_H_

#include <string>
#include <string_view>

#include "common/net/stream.h"
#include "proxy/http/head_writer.h"
#include "proxy/http/http1_head.h"

namespace carme::proxy {

// What is to be written goes through `out`, so that a head and the first bytes
// of its body leave together: the calls here append to it, and its content is
// then written to stream(). HTTP/2 has frames for what HTTP/1.1 says in text;
// there a call may leave `out` empty, and the next Write, of nothing if need
// be, sends it.
class DownstreamCodec {
 public:
  DownstreamCodec(const DownstreamCodec&) = delete;
  DownstreamCodec& operator=(const DownstreamCodec&) = delete;
  virtual ~DownstreamCodec() = default;

  // Read gives the request's body as its BodyFraming says.
  net::Stream& stream() const { return stream_; }
  // Bytes of the client that are read and not used yet: they come before what
  // stream() gives.
  std::string& held() { return held_; }
  // Whether a body of unknown length goes out in chunks.
  virtual bool chunks() const = 0;
  // The trailers of a request whose end was read, as lines; HTTP/1.1 has them
  // in the chunks.
  virtual std::string_view trailers() const { return {}; }

  virtual void AppendContinue(std::string* out) = 0;
  // An answer's head; status 101 is one to a websocket handshake.
  virtual void AppendHead(const ResponseHead& head, UpstreamKind upstream_kind,
                          const BodyFraming& body, bool close,
                          std::string* out) = 0;
  // The answer's body is whole. `trailers`: unfiltered lines.
  virtual void AppendEnd(bool chunked, std::string_view trailers,
                         std::string* out) = 0;
  // `out` has an answer of our own (own_answer.h), which is all of it.
  virtual void FormatLocalReply(std::string* out) = 0;

 protected:
  explicit DownstreamCodec(net::Stream& stream) : stream_(stream) {}

 private:
  net::Stream& stream_;
  std::string held_;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_ROUTING_DOWNSTREAM_CODEC_H_
