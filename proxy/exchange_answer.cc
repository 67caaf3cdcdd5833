// An Exchange's second half: the answer's head and body on their way to the
// client, or a websocket's bytes both ways.
#include <functional>
#include <list>
#include <string>
#include <utility>

#include "common/net/relay.h"
#include "common/websocket_input.h"
#include "proxy/exchange.h"
#include "proxy/prefix_answer.h"

namespace carme::proxy {
namespace {

// Whether an app's 101 is the answer to our own handshake (RFC 6455 section
// 4.1), which else could be that of a cache.
bool AcceptedHandshake(const ResponseHead& head, std::string_view accept) {
  if (accept.empty()) return true;
  const Field* said = head.Find(FieldId::kSecWebSocketAccept);
  return said != nullptr && said->value == accept;
}

// A program that ends one direction of a websocket ends the other soon.
constexpr absl::Duration kHalfClosedWebsocket = absl::Seconds(30);

// Of the head of a request that is ours.
std::string PathOf(std::string_view head) {
  const size_t begin = head.find(' ') + 1;
  return std::string(head.substr(begin, head.find(' ', begin) - begin));
}

}  // namespace

net::Task<bool> Exchange::PassAnswer() {
  const ResponseHead& head = worker_.response();
  if (head.status == 101) {
    if (!request_.websocket || !head.upgrade || !head.websocket) {
      co_return co_await AnswerNotice(Notice::kBadGateway);
    }
    if (!AcceptedHandshake(head, request_.websocket_accept)) {
      co_return co_await AnswerNotice(Notice::kBadGateway);
    }
    co_return co_await RelayWebsocket();
  }
  BodyFraming framing;
  if (!FrameResponse(head, request_.to_head, &framing)) {
    co_return co_await AnswerNotice(Notice::kBadGateway);
  }
  const bool upstream_closes = head.close ||
                               (head.http10 && !head.keep_alive) ||
                               framing.kind == BodyKind::kUntilClose;
  const bool close = !request_.keep_alive || worker_.draining() ||
                     (body_ && !body_->complete());
  if (request_.hop == Hop::kPortal) {
    co_return co_await PassPortalResponse(framing, !upstream_closes, close);
  }
  worker_.out().clear();
  AddOwnFields();
  request_.record.Answered(head.status);
  AppendHead(framing, close);
  bool clean = false;
  const bool passed = co_await PassBody(framing, &clean);
  if (!passed) {
    // Cut, so that the client does not take what it has for the whole.
    client_.Cancel();
    co_return co_await EndRequest(false);
  }
  // The answer may have been scanned there, behind an interim one.
  upstream_->held.clear();
  const bool sent_whole = !body_ || body_->complete();
  if (clean && sent_whole && !upstream_closes) {
    worker_.pool().Put(std::move(upstream_));
  }
  co_return co_await EndRequest(!close);
}

// What an app may not say, the proxy says for it.
void Exchange::AddOwnFields() {
  const std::string_view hsts = worker_.hsts();
  if (hsts.empty()) return;
  Field field;
  field.name = "Strict-Transport-Security";
  field.value = hsts;
  worker_.response().fields.push_back(field);
}

void Exchange::CountReceived(uint64_t bytes) {
  request_.record.Received(bytes);
  use_.Received(bytes);
}

void Exchange::CountSent(uint64_t bytes) {
  request_.record.Sent(bytes);
  use_.Sent(bytes);
}

void Exchange::AppendHead(const BodyFraming& framing, bool close) {
  std::list<std::string> values;  // that took the place of others
  if (!request_.prefix.empty()) {
    KeepBelow(request_.prefix, worker_.services().site.jobs_host(),
              &worker_.response(), &values);
  }
  side_.AppendHead(worker_.response(), request_.hop, framing, close,
                   &worker_.out());
}

net::Task<bool> Exchange::PassBody(BodyFraming framing, bool* clean) {
  const absl::Duration patience = worker_.services().limits.body_timeout;
  net::EventLoop& loop = worker_.loop();
  net::Stream& upstream = *upstream_->stream;
  BodyProgress progress(framing);
  const bool chunks = progress.chunks() && side_.chunks();
  // HTTP/2 makes frames of it, which take turns with those of others.
  const size_t most = side_.chunks() ? net::EventLoop::kBodyBytes
                                     : net::EventLoop::kScratchBytes;
  char* bytes = input_ + head_bytes_;
  size_t size = input_size_ - head_bytes_;
  std::string& out = worker_.out();  // begins with the head
  for (int turn = 1;; ++turn) {
    const ChunkDecoder::Step step = progress.Take(bytes, size);
    if (step.bad) co_return false;
    std::string_view wire(bytes, step.payload);
    if (chunks) {
      AppendChunk(wire, &out);
    } else if (!out.empty()) {
      out.append(wire);
    }
    if (progress.done()) {
      side_.AppendEnd(chunks, progress.trailers(), &out);
    }
    CountSent(step.payload);
    // Bytes behind the answer belong to no request.
    *clean = step.consumed == size;
    client_.ExpireAfter(patience);
    net::IoResult put = co_await client_.Write(out.empty() ? wire : out);
    if (put.error != 0) co_return false;
    if (progress.done()) co_return true;

    if (turn % 20 == 0) co_await loop.Yield();
    upstream_->held.clear();
    upstream.ExpireAfter(patience);
    net::IoResult got = co_await upstream.Read(loop.scratch(), most);
    if (got.error != 0) co_return false;
    out.clear();
    bytes = loop.scratch();
    size = got.bytes;
    if (size > 0) continue;
    if (!progress.TakeEnd() || upstream.truncated()) co_return false;
    side_.AppendEnd(chunks, "", &out);
    put = co_await client_.Write(out);
    co_return put.error == 0;
  }
}

net::Task<bool> Exchange::RelayWebsocket() {
  const ProxyLimits& limits = worker_.services().limits;
  std::string& out = worker_.out();
  out.clear();
  AppendHead({}, false);
  out.append(input_ + head_bytes_, input_size_ - head_bytes_);
  CountSent(input_size_ - head_bytes_);
  std::string().swap(upstream_->held);
  WebsocketInput input(PathOf(request_.head));
  std::string().swap(request_.head);
  client_.ExpireAfter(limits.websocket_timeout);
  net::IoResult put = co_await client_.Write(out);
  if (put.error != 0) co_return false;
  request_.record.Answered(101);
  request_.record.WebsocketOpened();
  relaying_ = true;
  net::RelayOptions options;
  options.idle_timeout = limits.websocket_timeout;
  options.half_closed_timeout = kHalfClosedWebsocket;
  const std::function<void(std::string_view)> from_client =
      [&](std::string_view bytes) {
        use_.Received(bytes.size());
        if (input.Feed(bytes, SteadyMs())) use_.Input();
      };
  const std::function<void(std::string_view)> to_client =
      [this](std::string_view bytes) { use_.Sent(bytes.size()); };
  options.watch_a_to_b = &from_client;
  options.watch_b_to_a = &to_client;
  const net::RelayResult relayed =
      co_await net::Relay(client_, *upstream_->stream, options);
  request_.record.Received(relayed.a_to_b_bytes);
  request_.record.Sent(relayed.b_to_a_bytes);
  co_return false;
}

}  // namespace carme::proxy
