#include "proxy/client_connection.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "common/log.h"
#include "proxy/api_error.h"
#include "proxy/cookies.h"
#include "proxy/own_answer.h"

namespace carme::proxy {
namespace {

// What a client may still send while its connection is being closed.
constexpr size_t kMostLingering = 1024 * 1024;
constexpr absl::Duration kLingerTime = absl::Seconds(1);
// For the first request of a client that came just before the proxy's end.
constexpr absl::Duration kNewcomerTime = absl::Seconds(2);

}  // namespace

ClientConnection::ClientConnection(Worker& worker,
                                   std::unique_ptr<net::TlsStream> stream,
                                   std::string client_address)
    : Timer(worker.loop().timers()),
      worker_(worker),
      stream_(std::move(stream)),
      side_(*stream_),
      decider_(worker, std::move(client_address)) {
  worker_.connections_.insert(this);
}

ClientConnection::~ClientConnection() { worker_.connections_.erase(this); }

void ClientConnection::Recheck() {
  ForEachExchange([&](Exchange& exchange) {
    if (!exchange.Admitted(worker_.routes(), worker_.services().clock.Now())) {
      exchange.Abort();
    }
  });
}

void ClientConnection::CheckAgent(const net::TlsContext& agents) {
  ForEachExchange([&](Exchange& exchange) {
    if (!exchange.Trusted(agents)) exchange.Abort();
  });
}

void ClientConnection::CloseIfIdle() {
  if (http2_ != nullptr) return http2_->Drain();
  if (!idle_) return;
  if (answered_ > 0) return stream_->Cancel();
  // Let in a moment ago: its first request is on its way.
  stream_->ExpireAfter(kNewcomerTime);
}

void ClientConnection::CloseIfWebsocket() {
  ForEachExchange([](Exchange& exchange) {
    if (exchange.is_websocket()) exchange.Abort();
  });
}

void ClientConnection::OnDeadline() {
  if (running_ == nullptr) return;
  const absl::Duration left =
      running_->expires() - worker_.services().clock.Now();
  // The clock was set back meanwhile.
  if (left > absl::ZeroDuration()) {
    return ArmTimer(absl::ToInt64Milliseconds(left));
  }
  running_->Abort();
}

net::Task<void> ClientConnection::Serve() {
  const ProxyLimits& limits = worker_.services().limits;
  stream_->ExpireAfter(limits.handshake_timeout);
  absl::Status shaken = co_await stream_->Handshake();
  if (!shaken.ok()) {
    worker_.counters().handshakes_failed.Add();
    LogDebug("no TLS", {{"client", decider_.client_address()},
                        {"why", std::string(shaken.message())}});
    co_return;
  }
  (stream_->resumed() ? worker_.counters().handshakes_resumed
                      : worker_.counters().handshakes_full)
      .Add();
  stream_->ExpireAfter(worker_.draining() ? kNewcomerTime
                                          : limits.head_timeout);
  decider_.set_server_name(stream_->ServerName());
  if (stream_->Protocol() == "h2") {
    idle_ = false;
    decider_.set_protocol("2");
    Http2Connection http2(worker_, *stream_, decider_);
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
  while (again && (answered_ == 0 || !worker_.draining())) {
    idle_ = true;
    again = co_await ReadHead();
    idle_ = false;
    if (again) again = co_await AnswerRequest();
    // A client that sends one request behind the other never makes us wait.
    if (++answered_ % 64 == 0) co_await worker_.loop().Yield();
  }
}

net::Task<bool> ClientConnection::ReadHead() {
  net::EventLoop& loop = worker_.loop();
  const ProxyLimits& limits = worker_.services().limits;
  input_ = held_;
  if (answered_ > 0) {
    stream_->ExpireAfter(held_.empty() ? limits.keep_alive_timeout
                                       : limits.head_timeout);
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
      // The clock for a head begins with its first byte and is not set again.
      if (held_.empty()) {
        if (answered_ > 0) stream_->ExpireAfter(limits.head_timeout);
        input_ = {loop.scratch(), got.bytes};
      } else {
        held_.append(loop.scratch(), got.bytes);
        input_ = held_;
      }
    }
    idle_ = false;
    const ScanResult scan =
        ScanRequest(input_, worker_.head_limits(), &worker_.request());
    if (scan.state == ScanState::kDone) {
      head_bytes_ = scan.head_bytes;
      co_return true;
    }
    if (scan.state == ScanState::kRefused) {
      co_await Refuse(scan.status, scan.why);
      co_return false;
    }
    if (held_.empty()) held_.assign(input_);
    read = true;
  }
}

net::Task<void> ClientConnection::Refuse(int status, const char* why) {
  LogDebug("request refused", {{"client", decider_.client_address()},
                               {"status", status},
                               {"why", why}});
  worker_.counters().refused_requests.Add();
  std::string& out = worker_.out();
  out.clear();
  const std::string request_id = NewRequestId();
  Refusal refusal{.status = status, .why = why, .request_id = request_id};
  refusal.api = IsApiTarget(input_.substr(
      std::min(input_.size(), input_.find(' ') + 1)));
  refusal.clear_cookies =
      status == 431 && IsMostlyCookies(input_) &&
      !worker_.services().site.HttpsOrigin(stream_->ServerName()).empty();
  AppendRefusal(refusal, &out);
  stream_->ExpireAfter(kLingerTime);
  co_await stream_->Write(out);
}

net::Task<bool> ClientConnection::AnswerRequest() {
  const RequestHead& head = worker_.request();
  ExchangeRequest request;
  closing_ =
      head.close || worker_.draining() || head.body.kind != BodyKind::kNone;
  worker_.out().clear();
  if (head.opens_websocket && input_.size() > head_bytes_) {
    // Frames before the answer to the handshake: they would be taken for the
    // next request.
    closing_ = true;
    AppendRefusal({.status = 400, .why = "bytes behind a websocket handshake"},
                  &worker_.out());
  } else {
    decider_.Decide(head, NewRequestId(), closing_, &request);
  }

  // From here on the head is gone: it may lie in the bytes that move now.
  const std::string_view rest = input_.substr(head_bytes_);
  if (input_.data() == held_.data()) {
    held_.erase(0, head_bytes_);
  } else {
    held_.assign(rest);
  }
  if (held_.empty() && held_.capacity() > 64) std::string().swap(held_);
  input_ = {};
  if (request.head.empty()) {
    stream_->ExpireAfter(worker_.services().limits.head_timeout);
    net::IoResult put = co_await stream_->Write(worker_.out());
    co_return put.error == 0 && !closing_;
  }
  if (request.access != nullptr) {
    ArmTimer(absl::ToInt64Milliseconds(request.access->expires -
                                       worker_.services().clock.Now()));
  }
  Exchange exchange(worker_, side_, std::move(request));
  running_ = &exchange;
  const bool again = co_await exchange.Run();
  running_ = nullptr;
  DisarmTimer();
  co_return again;
}

// Says goodbye in a way that lets the client read what it was sent: a socket
// closed over unread bytes is reset, and takes the answer with it.
net::Task<void> ClientConnection::Close() {
  stream_->ExpireAfter(kLingerTime);
  net::IoResult finished = co_await stream_->Finish();
  net::EventLoop& loop = worker_.loop();
  size_t lingering = 0;
  while (finished.error == 0 && lingering < kMostLingering) {
    net::IoResult got =
        co_await stream_->Read(loop.scratch(), net::EventLoop::kScratchBytes);
    if (got.error != 0 || got.bytes == 0) co_return;
    lingering += got.bytes;
  }
}

}  // namespace carme::proxy
