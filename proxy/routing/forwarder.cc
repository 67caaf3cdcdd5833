#include "proxy/routing/forwarder.h"

#include <cerrno>
#include <functional>
#include <list>
#include <string>
#include <utility>

#include "common/http1/body.h"
#include "common/log.h"
#include "common/net/relay.h"
#include "proxy/http/path_prefix.h"
#include "proxy/local_reply/app_overlay.h"
#include "proxy/routing/request_body.h"

namespace carme::proxy {
namespace {

constexpr int kMaxInterimResponses = 8;  // 1xx responses before the final one
// The time for an app that may still be starting, before the user gets an error
// page.
constexpr absl::Duration kSlowAppPageDelay = absl::Seconds(2);

// A timeout or a wrong identity would happen again.
bool IsRetryable(const absl::Status& failed) {
  return absl::IsUnavailable(failed);
}

// Verifies an app's 101 to the proxy's own handshake (RFC 6455 section 4.1).
// Otherwise it could come from a cache.
bool IsHandshakeAccepted(const ResponseHead& head, std::string_view accept) {
  if (accept.empty()) return true;
  const Field* accepted = head.Find(FieldId::kSecWebSocketAccept);
  return accepted != nullptr && accepted->value == accept;
}

// After one direction of a websocket has ended.
constexpr absl::Duration kHalfClosedWebsocketTimeout = absl::Seconds(30);

}  // namespace

Forwarder::Forwarder(LoopState& state, DownstreamCodec& codec,
                     ForwardRequest request)
    : state_(state),
      codec_(codec),
      client_(codec.stream()),
      request_(std::move(request)),
      body_charge_(state.shared().portal.buffers()) {
  client_.WatchEnd(this);
  if (request_.access == nullptr) return;
  activity_ = state_.activity().Begin(request_.access->host.job);
}

Forwarder::~Forwarder() { client_.WatchEnd(nullptr); }

void Forwarder::OnUnreadEnd() {
  // A body that is still read notices the end itself, as does a relay.
  const bool reads =
      body_ ? !body_->ended() : request_.body.kind != BodyKind::kNone;
  if (reads || relaying_) return;
  if (client_.PeekEnd() == net::Stream::End::kCut) Abort();
}

void Forwarder::Abort() {
  aborted_ = true;
  client_.Cancel();
  if (response_) {
    if (is_stream_) return response_->Cancel();
    return response_->Discard(kUnreadResponseTimeout);
  }
  if (upstream_ == nullptr) return;
  if (asked_ && !relaying_) {
    return upstream_->stream->ExpireAfter(kUnreadResponseTimeout);
  }
  upstream_->stream->Cancel();
}

bool Forwarder::Admitted(const RouteTable& routes, absl::Time now) const {
  return request_.access == nullptr ||
         routes.Admits(*request_.access, *request_.agent, now);
}

net::Task<bool> Forwarder::Run() {
  if (request_.upstream_kind == UpstreamKind::kPortal &&
      request_.body.kind != BodyKind::kNone) {
    if (!co_await ReadPortalRequest()) co_return false;
  }
  for (bool fresh = false;; fresh = true) {
    absl::Status opened = absl::OkStatus();
    if (fresh || !TakePooled()) opened = co_await Open(fresh);
    if (aborted_) co_return false;
    if (!opened.ok()) {
      LogDebug("upstream connection failed", {{"request", request_.request_id},
                                              {"error", opened.ToString()}});
      if (!fresh && IsRetryable(opened)) continue;
      co_return co_await ReplyFailure(UpstreamFailure::kNoAgent);
    }
    Head head = co_await SendAndReadHead();
    if (head == Head::kGood) break;
    if (aborted_) co_return co_await EndRequest(false);
    if (head == Head::kGone && upstream_->reused && request_.may_repeat) {
      continue;
    }
    if (head == Head::kSlow) {
      co_return co_await ReplyFailure(UpstreamFailure::kSlow);
    }
    if (head == Head::kBroken) {
      co_return co_await Reply(ReplyReason::kBadGateway);
    }
    co_return co_await ReplyFailure(UpstreamFailure::kNoResponse);
  }
  co_return co_await ForwardResponse();
}

const JobStatusEntry* Forwarder::CurrentJobStatus() const {
  return request_.access == nullptr
             ? nullptr
             : state_.job_statuses().Find(request_.access->host.job);
}

ReplyDetails Forwarder::ReplyDetailsFor(UpstreamFailure failure) const {
  if (request_.access == nullptr) return {ReplyReason::kPortalUnavailable};
  return proxy::ReplyDetailsFor(failure, CurrentJobStatus(),
                                request_.access->app);
}

net::Task<bool> Forwarder::ReplyFailure(UpstreamFailure failure) {
  return SendLocalReply(ReplyDetailsFor(failure));
}

net::Task<bool> Forwarder::Reply(ReplyReason reply_reason) {
  return SendLocalReply(ReplyDetails{reply_reason});
}

const net::Address& Forwarder::NextHop() const {
  return request_.agent ? *request_.agent : state_.shared().frontend;
}

bool Forwarder::TakePooled() {
  if (request_.access == nullptr) return false;
  upstream_ = state_.pool().Take(request_.access, NextHop());
  return upstream_ != nullptr;
}

net::Task<absl::Status> Forwarder::Open(bool fresh) {
  const net::Address address = NextHop();
  upstream_ = nullptr;
  absl::StatusOr<UpstreamPtr> opened = absl::InternalError("not opened");
  if (request_.access == nullptr) {
    opened = co_await state_.pool().OpenFrontend(address);
  } else {
    opened = co_await state_.pool().OpenAgent(request_.access, address, fresh,
                                              aborted_);
  }
  if (!opened.ok()) co_return opened.status();
  upstream_ = *std::move(opened);
  co_return absl::OkStatus();
}

net::Task<Forwarder::Head> Forwarder::SendAndReadHead() {
  net::Stream& upstream = *upstream_->stream;
  page_in_time_ = request_.page && request_.may_repeat &&
                  request_.access != nullptr &&
                  MayStillStart(CurrentJobStatus(), request_.access->app);
  upstream.ExpireAfter(page_in_time_ ? kSlowAppPageDelay
                                     : state_.shared().limits.body_timeout);
  if (request_.body.kind == BodyKind::kNone) {
    net::IoResult sent = co_await upstream.Write(request_.head);
    if (sent.error != 0) co_return Head::kGone;
    if (request_.upstream_kind == UpstreamKind::kPortal) {
      asked_ = true;
      if (!request_.may_repeat) std::string().swap(request_.head);
      body_charge_.ReturnAll();
      if (aborted_) upstream.ExpireAfter(kUnreadResponseTimeout);
    }
  } else {
    if (request_.expects_continue && codec_.held().empty()) {
      state_.out().clear();
      codec_.AppendContinue(&state_.out());
      net::IoResult put = co_await client_.Write(state_.out());
      if (put.error != 0) co_return Head::kGone;
    }
    body_.emplace(codec_, upstream, request_.body, state_.shared().limits);
    state_.loop().Spawn(body_->Send(std::move(request_.head)));
  }
  co_return co_await ReadHead();
}

net::Task<Forwarder::Head> Forwarder::ReadHead() {
  net::EventLoop& loop = state_.loop();
  std::string& held = upstream_->held;
  int interim = 0;
  bool read = held.empty();
  for (;;) {
    if (read) {
      net::IoResult got = co_await upstream_->stream->Read(
          loop.scratch(), net::EventLoop::kScratchBytes);
      if (got.error == ETIMEDOUT) {
        co_return page_in_time_ ? Head::kSlow : Head::kBroken;
      }
      if (got.error != 0 || got.bytes == 0) {
        co_return held.empty() && interim == 0 ? Head::kGone : Head::kBroken;
      }
      if (held.empty()) {
        input_ = loop.scratch();
        input_size_ = got.bytes;
      } else {
        held.append(loop.scratch(), got.bytes);
      }
    }
    if (!held.empty()) {
      input_ = held.data();
      input_size_ = held.size();
    }
    const ScanResult scan = ScanResponse(
        {input_, input_size_}, state_.head_limits(), &state_.response());
    if (scan.state == ScanState::kRefused) {
      LogDebug("invalid response rejected",
               {{"request", request_.request_id}, {"error", scan.error}});
      co_return Head::kBroken;
    }
    read = scan.state == ScanState::kMore;
    if (read) {
      if (held.empty()) held.assign(input_, input_size_);
      continue;
    }
    head_bytes_ = scan.head_bytes;
    const int status = state_.response().status;
    if (status >= 200 || status == 101) co_return Head::kGood;
    // The proxy itself sent 100; other interim responses are optional.
    if (++interim > kMaxInterimResponses) co_return Head::kBroken;
    held.assign(input_ + head_bytes_, input_size_ - head_bytes_);
    read = held.empty();
  }
}

net::Task<bool> Forwarder::SendLocalReply(ReplyDetails details) {
  ReplyReason reply_reason = details.reply_reason;
  LocalReplyOptions options;
  options.page = request_.page;
  options.api = request_.api;
  options.head_only = request_.to_head;
  options.close = !request_.keep_alive || state_.draining() ||
                  body_.has_value() || request_.body.kind != BodyKind::kNone;
  options.request_id = request_.request_id;
  const std::string portal = state_.shared().hosts.PortalUrl();
  const std::string status_path = request_.prefix + std::string(kStatusPath);
  if (request_.upstream_kind == UpstreamKind::kJob) {
    options.portal_url = portal;
    options.status_path = status_path;
    options.reason = details.reason;
    options.expected_start = details.expected_start;
  }
  std::string& out = state_.out();
  out.clear();
  options.hsts = state_.hsts();
  if (body_ && body_->too_large()) {
    state_.counters().Of(Limit::kBody).Add();
    reply_reason = ReplyReason::kBodyTooLarge;
  }
  if (body_ && body_->bad()) co_return co_await Refuse(400, "bad chunk");
  if (body_ && body_->late()) {
    co_return co_await Refuse(408, "the request took too long");
  }
  request_.record.SetStatus(StatusOf(reply_reason));
  AppendLocalReply(reply_reason, options, &out);
  codec_.FormatLocalReply(&out);
  client_.ExpireAfter(state_.shared().limits.request_header_timeout);
  net::IoResult put = co_await client_.Write(out);
  co_return co_await EndRequest(put.error == 0 && !options.close);
}

net::Task<bool> Forwarder::Refuse(int status, const char* error) {
  std::string& out = state_.out();
  out.clear();
  request_.record.SetStatus(status);
  AppendRejection({.status = status,
                   .error = error,
                   .api = request_.api,
                   .request_id = request_.request_id},
                  &out);
  codec_.FormatLocalReply(&out);
  client_.ExpireAfter(state_.shared().limits.request_header_timeout);
  net::IoResult put = co_await client_.Write(out);
  if (put.error != 0) client_.Cancel();
  co_return co_await EndRequest(false);
}

net::Task<bool> Forwarder::EndRequest(bool good) {
  if (!body_) co_return good;
  if (!body_->complete()) {
    good = false;
    body_->Drop();
    // The client notices the end and stops sending.
    net::IoResult finished = co_await client_.Finish();
    if (finished.error != 0) client_.Cancel();
  }
  co_await body_->Done();
  CountReceived(body_->received_bytes());
  co_return good;
}

net::Task<bool> Forwarder::ForwardResponse() {
  const ResponseHead& head = state_.response();
  if (head.status == 101) {
    if (!request_.websocket || !head.upgrade || !head.websocket) {
      co_return co_await Reply(ReplyReason::kBadGateway);
    }
    if (!IsHandshakeAccepted(head, request_.websocket_accept)) {
      co_return co_await Reply(ReplyReason::kBadGateway);
    }
    co_return co_await RelayWebsocket();
  }
  BodyFraming framing;
  if (!FrameResponse(head, request_.to_head, &framing)) {
    co_return co_await Reply(ReplyReason::kBadGateway);
  }
  const bool close = !request_.keep_alive || state_.draining() ||
                     (body_ && !body_->complete());
  if (request_.upstream_kind == UpstreamKind::kPortal) {
    co_return co_await ForwardPortalResponse(framing, close);
  }
  const bool upstream_closes = head.close ||
                               (head.http10 && !head.keep_alive) ||
                               framing.kind == BodyKind::kUntilClose;
  state_.out().clear();
  AddOwnFields();
  request_.record.SetStatus(head.status);
  AddOverlay(framing);
  AppendHead(framing, close);
  bool clean = false;
  const bool passed = co_await ForwardBody(framing, &clean);
  if (!passed) {
    // Abort, so that the client does not accept a truncated response.
    client_.Cancel();
    co_return co_await EndRequest(false);
  }
  // The head may have been in `held`, after an interim response.
  upstream_->held.clear();
  const bool sent_whole = !body_ || body_->complete();
  if (clean && sent_whole && !upstream_closes) {
    state_.pool().Put(std::move(upstream_));
  }
  co_return co_await EndRequest(!close);
}

// Fields that apps must not set but the proxy does.
void Forwarder::AddOwnFields() {
  const std::string_view hsts = state_.hsts();
  if (hsts.empty()) return;
  Field field;
  field.name = "Strict-Transport-Security";
  field.value = hsts;
  state_.response().fields.push_back(field);
}

void Forwarder::AddOverlay(const BodyFraming& framing) {
  ResponseHead& head = state_.response();
  if (!request_.overlay || framing.kind == BodyKind::kNone ||
      !TakesOverlay(head)) {
    return;
  }
  added_ = OverlayElement(request_.prefix);
  if (head.has_length) head.length += added_.size();
}

void Forwarder::AppendAdded(bool chunks) {
  if (chunks) {
    AppendChunk(added_, &state_.out());
  } else {
    state_.out().append(added_);
  }
  CountSent(added_.size());
}

void Forwarder::CountReceived(uint64_t bytes) {
  request_.record.Received(bytes);
  activity_.Received(bytes);
}

void Forwarder::CountSent(uint64_t bytes) {
  request_.record.Sent(bytes);
  activity_.Sent(bytes);
}

void Forwarder::AppendHead(const BodyFraming& framing, bool close) {
  std::list<std::string> values;  // hold rewritten values
  if (!request_.prefix.empty()) {
    RewriteForPrefix(request_.prefix, state_.shared().hosts.jobs_host(),
                     &state_.response(), &values);
  }
  codec_.AppendHead(state_.response(), request_.upstream_kind, framing, close,
                    &state_.out());
}

net::Task<bool> Forwarder::ForwardBody(BodyFraming framing, bool* clean) {
  const absl::Duration timeout = state_.shared().limits.body_timeout;
  net::EventLoop& loop = state_.loop();
  net::Stream& upstream = *upstream_->stream;
  BodyProgress progress(framing);
  const bool chunks = progress.chunks() && codec_.chunks();
  // HTTP/2 sends frames, which alternate with those of other streams.
  const size_t max_bytes = codec_.chunks() ? net::EventLoop::kBodyBytes
                                           : net::EventLoop::kScratchBytes;
  char* bytes = input_ + head_bytes_;
  size_t size = input_size_ - head_bytes_;
  std::string& out = state_.out();  // starts with the head
  for (int turn = 1;; ++turn) {
    const ChunkDecoder::Step step = progress.Take(bytes, size);
    if (step.bad) co_return false;
    std::string_view wire(bytes, step.payload);
    const bool adds = progress.done() && !added_.empty();
    if (chunks) {
      AppendChunk(wire, &out);
    } else if (!out.empty() || adds) {
      out.append(wire);
    }
    if (adds) AppendAdded(chunks);
    if (progress.done()) {
      codec_.AppendEnd(chunks, progress.trailers(), &out);
    }
    CountSent(step.payload);
    // Bytes after the response: do not reuse the connection.
    *clean = step.consumed == size;
    client_.ExpireAfter(timeout);
    net::IoResult put = co_await client_.Write(out.empty() ? wire : out);
    if (put.error != 0) co_return false;
    if (progress.done()) co_return true;

    if (turn % 20 == 0) co_await loop.Yield();
    upstream_->held.clear();
    upstream.ExpireAfter(timeout);
    net::IoResult got = co_await upstream.Read(loop.scratch(), max_bytes);
    if (got.error != 0) co_return false;
    out.clear();
    bytes = loop.scratch();
    size = got.bytes;
    if (size > 0) continue;
    if (!progress.TakeEnd() || upstream.truncated()) co_return false;
    if (!added_.empty()) AppendAdded(chunks);
    codec_.AppendEnd(chunks, "", &out);
    put = co_await client_.Write(out);
    co_return put.error == 0;
  }
}

net::Task<bool> Forwarder::RelayWebsocket() {
  const ProxyLimits& limits = state_.shared().limits;
  std::string& out = state_.out();
  out.clear();
  AppendHead({}, false);
  out.append(input_ + head_bytes_, input_size_ - head_bytes_);
  CountSent(input_size_ - head_bytes_);
  std::string().swap(upstream_->held);
  std::string().swap(request_.head);
  client_.ExpireAfter(limits.websocket_timeout);
  net::IoResult put = co_await client_.Write(out);
  if (put.error != 0) co_return false;
  request_.record.SetStatus(101);
  request_.record.WebsocketOpened();
  relaying_ = true;
  net::RelayOptions options;
  options.idle_timeout = limits.websocket_timeout;
  options.half_closed_timeout = kHalfClosedWebsocketTimeout;
  const std::function<void(std::string_view)> from_client =
      [this](std::string_view bytes) { activity_.Received(bytes.size()); };
  const std::function<void(std::string_view)> to_client =
      [this](std::string_view bytes) { activity_.Sent(bytes.size()); };
  options.watch_a_to_b = &from_client;
  options.watch_b_to_a = &to_client;
  const net::RelayResult relayed =
      co_await net::Relay(client_, *upstream_->stream, options);
  request_.record.Received(relayed.a_to_b_bytes);
  request_.record.Sent(relayed.b_to_a_bytes);
  co_return false;
}

net::Task<bool> Forwarder::ReadPortalRequest() {
  if (request_.expects_continue && codec_.held().empty()) {
    state_.out().clear();
    codec_.AppendContinue(&state_.out());
    net::IoResult put = co_await client_.Write(state_.out());
    if (put.error != 0) co_return false;
  }
  std::string body;
  const WholeBodyResult result = co_await ReadWholeBody(
      codec_, request_.body, kMaxPortalBody,
      state_.shared().limits.portal_client_timeout, body_charge_, &body);
  CountReceived(body.size());
  if (aborted_) co_return false;
  switch (result) {
    case WholeBodyResult::kWhole:
      AttachBody(body, &request_.head);
      request_.body = {};
      co_return true;
    case WholeBodyResult::kGone:
      co_return false;
    case WholeBodyResult::kMalformed:
      co_await Refuse(400, "bad chunk");
      co_return false;
    case WholeBodyResult::kLate:
      co_await Refuse(408, "the request took too long");
      co_return false;
    case WholeBodyResult::kTooLarge:
      state_.counters().Of(Limit::kBody).Add();
      co_await Reply(ReplyReason::kBodyTooLarge);
      co_return false;
    case WholeBodyResult::kNoMemory:
      state_.counters().Of(Limit::kPortalBuffer).Add();
      co_await Reply(ReplyReason::kPortalBusy);
      co_return false;
  }
  co_return false;
}

net::Task<bool> Forwarder::ForwardPortalResponse(BodyFraming framing,
                                                 bool close) {
  const bool unbounded = framing.kind == BodyKind::kChunked ||
                         framing.kind == BodyKind::kUntilClose;
  is_stream_ = unbounded || framing.length > kMaxBufferedResponse;
  if (is_stream_ && aborted_) co_return false;
  // A large file still counts as a request, because unauthenticated clients can
  // request it.
  if (unbounded && !request_.slot.BecomeStream()) {
    state_.counters().Of(Limit::kPortalStreams).Add();
    upstream_ = nullptr;
    co_return co_await Reply(ReplyReason::kRateLimited);
  }
  // The head points into a buffer that is overwritten after the next
  // suspension.
  std::string head;
  if (!aborted_) {
    state_.out().clear();
    AddOwnFields();
    request_.record.SetStatus(state_.response().status);
    AppendHead(framing, close);
    head = state_.out();
  }
  response_.emplace(
      state_.loop(), std::move(upstream_),
      ResponseBuffer::Options{framing, state_.shared().limits.body_timeout},
      state_.shared().portal.buffers());
  response_->Begin(input_ + head_bytes_, input_size_ - head_bytes_);
  if (!response_->ended()) {
    state_.loop().Spawn(response_->Fill());
    if (aborted_) response_->Discard(kUnreadResponseTimeout);
  }
  bool written = false;
  if (!aborted_) {
    written =
        co_await WriteBuffered(unbounded && codec_.chunks(), std::move(head));
  }
  if (!written) {
    // Abort, so that the client does not accept a truncated response.
    client_.Cancel();
    is_stream_ ? response_->Cancel()
               : response_->Discard(kUnreadResponseTimeout);
  }
  co_await response_->WaitForEnd();
  co_return written && !close;
}

net::Task<bool> Forwarder::WriteBuffered(bool chunks, std::string wire) {
  const ProxyLimits& limits = state_.shared().limits;
  const absl::Duration timeout =
      is_stream_ ? limits.body_timeout : limits.portal_client_timeout;
  // HTTP/2 sends frames, which alternate with those of other streams.
  const size_t max_bytes = codec_.chunks() ? net::EventLoop::kBodyBytes
                                           : net::EventLoop::kScratchBytes;
  for (int turn = 1;; ++turn) {
    // Send the head of a stream before its first message.
    if (turn > 1) co_await response_->WaitForBytes();
    const std::string piece = response_->Take(max_bytes);
    const bool finished = response_->finished();
    if (chunks) {
      AppendChunk(piece, &wire);
    } else {
      wire.append(piece);
    }
    if (finished && !response_->failed()) {
      codec_.AppendEnd(chunks, response_->trailers(), &wire);
    }
    CountSent(piece.size());
    client_.ExpireAfter(timeout);
    net::IoResult put = co_await client_.Write(wire);
    if (put.error != 0) co_return false;
    if (finished) co_return !response_->failed();
    wire.clear();
    if (turn % 20 == 0) co_await state_.loop().Yield();
  }
}

}  // namespace carme::proxy
