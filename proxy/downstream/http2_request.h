// One request of an HTTP/2 connection, from its first field to its last byte.
#ifndef CARME_PROXY_DOWNSTREAM_HTTP2_REQUEST_H_
#define CARME_PROXY_DOWNSTREAM_HTTP2_REQUEST_H_

#include <nghttp2/nghttp2.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "common/net/http2/http2_stream.h"
#include "common/net/task.h"
#include "common/net/timer_wheel.h"
#include "proxy/http/http2_fields.h"
#include "proxy/http/http2_head.h"
#include "proxy/routing/downstream_codec.h"
#include "proxy/routing/forwarder.h"
#include "proxy/routing/request_router.h"
#include "proxy/state/loop_state.h"

namespace carme::proxy {

// Exists from its HEADERS frame until its coroutine has ended, which may be
// before or after the end of nghttp2's stream.
class Http2Request final : public DownstreamCodec, private net::Timer {
 public:
  Http2Request(LoopState& state, RequestRouter& router,
               net::Http2Carrier& carrier, nghttp2_session* session,
               int32_t id);
  ~Http2Request() override;

  // For nghttp2's callbacks.
  Http2RequestHead& head() { return head_; }
  void AddTrailer(std::string_view name, std::string_view value);
  // Sends the trailers after the body of the response.
  void SubmitTrailers();
  bool has_trailers() const { return !answer_trailers_.empty(); }

  // Routes the request, then forwards it or sends a local reply.
  // `body_follows`: END_STREAM was not set. Call it once.
  net::Task<void> Run(bool body_follows);

  bool started() const { return started_; }
  // An accepted websocket.
  bool is_tunnel() const { return tunnel_; }
  net::Http2Stream& body() { return body_; }
  // Null: not forwarded.
  Forwarder* forwarder() { return forwarder_; }
  // Ends it at once. May be called at any time on the loop.
  void Abort();

 private:
  bool chunks() const override { return false; }
  std::string_view trailers() const override { return trailers_; }
  void AppendContinue(std::string* out) override;
  void AppendHead(const ResponseHead& head, UpstreamKind upstream_kind,
                  const BodyFraming& body, bool close,
                  std::string* out) override;
  void AppendEnd(bool chunked, std::string_view trailers,
                 std::string* out) override;
  void FormatLocalReply(std::string* out) override;
  // The grant has expired.
  void OnDeadline() override;

  void AppendHeadRejection(int status, const char* error);
  RouteResult Route(bool body_follows);

  LoopState& state_;
  RequestRouter& router_;
  nghttp2_session* const session_;
  net::Http2Stream body_;
  Http2RequestHead head_;
  std::string trailers_;  // of the request; lines
  Http2Fields answer_trailers_;
  Forwarder* forwarder_ = nullptr;
  bool started_ = false;
  bool tunnel_ = false;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_DOWNSTREAM_HTTP2_REQUEST_H_
