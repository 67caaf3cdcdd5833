#include "proxy/downstream/client_connection.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "common/log.h"
#include "proxy/http/cookies.h"
#include "proxy/http/trailers.h"
#include "proxy/local_reply/api_error.h"
#include "proxy/local_reply/local_reply.h"

namespace carme::proxy {
namespace {

// Bytes that a client may still send while its connection is closed.
constexpr size_t kMaxLingerBytes = 1024 * 1024;
constexpr absl::Duration kLingerTimeout = absl::Seconds(1);
// For a client that connected just before the proxy stops.
constexpr absl::Duration kFirstRequestTimeout = absl::Seconds(2);

}  // namespace

void Http1Codec::AppendContinue(std::string* out) {
  out->append("HTTP/1.1 100 Continue\r\n\r\n");
}

void Http1Codec::AppendHead(const ResponseHead& head,
                            UpstreamKind upstream_kind, const BodyFraming& body,
                            bool close, std::string* out) {
  AppendResponse(head, upstream_kind, body, close, out);
}

void Http1Codec::AppendEnd(bool chunked, std::string_view trailers,
                           std::string* out) {
  if (chunked) AppendLastChunk(trailers, out);
}

ClientConnection::ClientConnection(LoopState& state, ConnectionSet& connections,
                                   std::unique_ptr<net::TlsStream> stream,
                                   std::string client_address)
    : Timer(state.loop().timers()),
      state_(state),
      connections_(connections),
      stream_(std::move(stream)),
      codec_(*stream_),
      router_(state, std::move(client_address)) {
  connections_.insert(this);
}

ClientConnection::~ClientConnection() { connections_.erase(this); }

void ClientConnection::Recheck() {
  ForEachForwarder([&](Forwarder& forwarder) {
    if (!forwarder.Admitted(state_.routes(), state_.shared().clock.Now())) {
      forwarder.Abort();
    }
  });
}

void ClientConnection::CheckAgentCertificate(const net::TlsContext& agents) {
  ForEachForwarder([&](Forwarder& forwarder) {
    if (!forwarder.Trusted(agents)) forwarder.Abort();
  });
}

void ClientConnection::CloseIfIdle() {
  if (http2_ != nullptr) return http2_->Drain();
  if (!idle_) return;
  if (answered_ > 0) return stream_->Cancel();
  // A new connection: its first request is on its way.
  stream_->ExpireAfter(kFirstRequestTimeout);
}

void ClientConnection::CloseIfWebsocket() {
  ForEachForwarder([](Forwarder& forwarder) {
    if (forwarder.is_websocket()) forwarder.Abort();
  });
}

void ClientConnection::OnDeadline() {
  if (running_ == nullptr) return;
  const absl::Duration left = running_->expires() - state_.shared().clock.Now();
  // The clock was set back.
  if (left > absl::ZeroDuration()) {
    return ArmTimer(absl::ToInt64Milliseconds(left));
  }
  running_->Abort();
}

net::Task<void> ClientConnection::Serve() {
  const ProxyLimits& limits = state_.shared().limits;
  stream_->ExpireAfter(limits.handshake_timeout);
  absl::Status shaken = co_await stream_->Handshake();
  if (!shaken.ok()) {
    state_.counters().handshakes_failed.Add();
    LogDebug("TLS handshake failed",
             {{"client", router_.client_address()},
              {"error", std::string(shaken.message())}});
    co_return;
  }
  (stream_->resumed() ? state_.counters().handshakes_resumed
                      : state_.counters().handshakes_full)
      .Add();
  stream_->ExpireAfter(state_.draining() ? kFirstRequestTimeout
                                         : limits.request_header_timeout);
  router_.set_server_name(stream_->ServerName());
  if (stream_->Protocol() == "h2") {
    idle_ = false;
    router_.set_protocol("2");
    Http2Connection http2(state_, *stream_, router_);
    http2_ = &http2;
    co_await http2.Serve();
    http2_ = nullptr;
  } else {
    co_await ServeHttp1();
  }
  co_await Close();
}

net::Task<void> ClientConnection::ServeHttp1() {
  bool again = true;
  while (again && (answered_ == 0 || !state_.draining())) {
    idle_ = true;
    again = co_await ReadHead();
    idle_ = false;
    if (again) again = co_await AnswerRequest();
    // A client that pipelines requests never makes the coroutine wait.
    if (++answered_ % 64 == 0) co_await state_.loop().Yield();
  }
}

net::Task<bool> ClientConnection::ReadHead() {
  net::EventLoop& loop = state_.loop();
  const ProxyLimits& limits = state_.shared().limits;
  input_ = held_;
  if (answered_ > 0) {
    stream_->ExpireAfter(held_.empty() ? limits.keep_alive_timeout
                                       : limits.request_header_timeout);
  }
  bool read = held_.empty();
  for (;;) {
    if (read) {
      net::IoResult got =
          co_await stream_->Read(loop.scratch(), net::EventLoop::kScratchBytes);
      if (got.error == ETIMEDOUT && !held_.empty()) {
        co_await Refuse(408, "the request took too long");
      }
      if (got.error != 0 || got.bytes == 0) co_return false;
      // The timeout starts with the head's first byte and is not extended.
      if (held_.empty()) {
        if (answered_ > 0) stream_->ExpireAfter(limits.request_header_timeout);
        input_ = {loop.scratch(), got.bytes};
      } else {
        held_.append(loop.scratch(), got.bytes);
        input_ = held_;
      }
    }
    idle_ = false;
    const ScanResult scan =
        ScanRequest(input_, state_.head_limits(), &state_.request());
    if (scan.state == ScanState::kDone) {
      head_bytes_ = scan.head_bytes;
      co_return true;
    }
    if (scan.state == ScanState::kRefused) {
      co_await Refuse(scan.status, scan.error);
      co_return false;
    }
    if (held_.empty()) held_.assign(input_);
    read = true;
  }
}

net::Task<void> ClientConnection::Refuse(int status, const char* error) {
  LogDebug("request rejected", {{"client", router_.client_address()},
                                {"status", status},
                                {"error", error}});
  state_.counters().refused_requests.Add();
  std::string& out = state_.out();
  out.clear();
  const std::string request_id = NewRequestId();
  Rejection refusal{.status = status, .error = error, .request_id = request_id};
  refusal.api =
      IsApiTarget(input_.substr(std::min(input_.size(), input_.find(' ') + 1)));
  refusal.clear_cookies =
      status == 431 && IsMostlyCookies(input_) &&
      !state_.shared().hosts.HttpsOrigin(stream_->ServerName()).empty();
  AppendRejection(refusal, &out);
  stream_->ExpireAfter(kLingerTimeout);
  co_await stream_->Write(out);
}

net::Task<bool> ClientConnection::AnswerRequest() {
  const RequestHead& head = state_.request();
  closing_ =
      head.close || state_.draining() || head.body.kind != BodyKind::kNone;
  state_.out().clear();
  RouteResult result;
  if (head.opens_websocket && input_.size() > head_bytes_) {
    // Frames sent before the handshake's response would be read as the next
    // request.
    closing_ = true;
    AppendRejection(
        {.status = 400, .error = "bytes behind a websocket handshake"},
        &state_.out());
  } else {
    result = router_.Route(head, NewRequestId(), closing_);
  }

  // The head is invalid from here on: it may lie in the bytes that move now.
  const std::string_view rest = input_.substr(head_bytes_);
  if (input_.data() == held_.data()) {
    held_.erase(0, head_bytes_);
  } else {
    held_.assign(rest);
  }
  if (held_.empty() && held_.capacity() > 64) std::string().swap(held_);
  input_ = {};
  if (auto* redemption = std::get_if<TicketRedemption>(&result)) {
    closing_ = redemption->closing;
    co_await AnswerTicket(state_, *redemption);
  }
  auto* request = std::get_if<ForwardRequest>(&result);
  if (request == nullptr) {
    stream_->ExpireAfter(state_.shared().limits.request_header_timeout);
    net::IoResult written = co_await stream_->Write(state_.out());
    co_return written.error == 0 && !closing_;
  }
  if (request->access != nullptr) {
    ArmTimer(absl::ToInt64Milliseconds(request->access->expires -
                                       state_.shared().clock.Now()));
  }
  Forwarder forwarder(state_, codec_, std::move(*request));
  running_ = &forwarder;
  const bool again = co_await forwarder.Run();
  running_ = nullptr;
  DisarmTimer();
  co_return again;
}

// Closes the connection so that the client can read the response: closing a
// socket with unread bytes resets the connection, which may discard it.
net::Task<void> ClientConnection::Close() {
  stream_->ExpireAfter(kLingerTimeout);
  net::IoResult finished = co_await stream_->Finish();
  net::EventLoop& loop = state_.loop();
  size_t lingering = 0;
  while (finished.error == 0 && lingering < kMaxLingerBytes) {
    net::IoResult got =
        co_await stream_->Read(loop.scratch(), net::EventLoop::kScratchBytes);
    if (got.error != 0 || got.bytes == 0) co_return;
    lingering += got.bytes;
  }
}

}  // namespace carme::proxy
