// The client's side of one request, independent of the HTTP version: what a
// Forwarder needs of the connection.
#ifndef CARME_PROXY_ROUTING_DOWNSTREAM_CODEC_H_
#define CARME_PROXY_ROUTING_DOWNSTREAM_CODEC_H_

#include <string>
#include <string_view>

#include "common/http1/head.h"
#include "common/net/stream.h"
#include "proxy/http/head_writer.h"

namespace carme::proxy {

// Output goes through `out`, so that a head and the first bytes of its body are
// written together: the methods append to it, and the caller then writes it to
// stream(). With HTTP/2, a method may leave `out` empty and queue frames, which
// the next Write sends, even of no bytes.
class DownstreamCodec {
 public:
  DownstreamCodec(const DownstreamCodec&) = delete;
  DownstreamCodec& operator=(const DownstreamCodec&) = delete;
  virtual ~DownstreamCodec() = default;

  // Reading returns the request's body, framed according to BodyFraming.
  net::Stream& stream() const { return stream_; }
  // Bytes that were read from the client but not used. They precede those of
  // stream().
  std::string& held() { return held_; }
  // Whether a body of unknown length is sent in chunks.
  virtual bool chunks() const = 0;
  // The trailer lines after the end of the request's body. With HTTP/1.1 they
  // are part of the chunks.
  virtual std::string_view trailers() const { return {}; }

  virtual void AppendContinue(std::string* out) = 0;
  // Appends the head of a response; with status 101 that of a websocket.
  virtual void AppendHead(const ResponseHead& head, UpstreamKind upstream_kind,
                          const BodyFraming& body, bool close,
                          std::string* out) = 0;
  // Ends the response's body. `trailers`: lines, not filtered.
  virtual void AppendEnd(bool chunked, std::string_view trailers,
                         std::string* out) = 0;
  // `out` contains a complete local reply (local_reply.h).
  virtual void FormatLocalReply(std::string* out) = 0;

 protected:
  explicit DownstreamCodec(net::Stream& stream) : stream_(stream) {}

 private:
  net::Stream& stream_;
  std::string held_;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_ROUTING_DOWNSTREAM_CODEC_H_
