#include "proxy/routing/request_body.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "common/http1/body.h"
#include "common/net/event_loop.h"
#include "proxy/http/trailers.h"

namespace carme::proxy {
namespace {

// Bytes read and dropped so that the client gets the response.
constexpr size_t kMaxDropped = 1024 * 1024;
constexpr absl::Duration kDropTimeout = absl::Seconds(2);

}  // namespace

net::Task<void> RequestBody::Send(std::string head) {
  co_await Forward(std::move(head));
  ended_ = true;
  done_.CountDown();
}

void RequestBody::Drop() {
  if (ended_) return;
  dropping_ = true;
  upstream_.Cancel();
  client_.ExpireAfter(kDropTimeout);
}

net::Task<void> RequestBody::Forward(std::string head) {
  std::string first = std::exchange(held_, {});
  bool go_on =
      co_await ForwardBytes(std::move(head), first.data(), first.size());
  std::string().swap(first);
  net::EventLoop& loop = client_.loop();
  while (go_on && !progress_.done()) {
    if (!dropping_) {
      client_.ExpireAfter(Timeout());
      // The response is not late while the request is still being sent.
      upstream_.ExpireAfter(limits_.body_timeout);
    }
    const int64_t began_ms = loop.now_ms();
    net::IoResult got =
        co_await client_.Read(loop.scratch(), net::EventLoop::kBodyBytes);
    waited_ms_ += loop.now_ms() - began_ms;
    if (got.error == 0 && got.bytes == 0 && progress_.TakeEnd()) {
      co_await ForwardEnd();
      break;
    }
    if (got.error != 0 || got.bytes == 0) {
      late_ = got.error == ETIMEDOUT && !dropping_;
      upstream_.Cancel();
      co_return;
    }
    go_on = co_await ForwardBytes("", loop.scratch(), got.bytes);
    co_await loop.Yield();
  }
  complete_ = progress_.done() && !dropping_;
}

// Counts only the time spent waiting for the client, not for a slow app.
absl::Duration RequestBody::Timeout() const {
  if (limits_.min_body_bytes_per_s == 0) return limits_.body_timeout;
  const absl::Duration earned = absl::Seconds(static_cast<double>(received_) /
                                              limits_.min_body_bytes_per_s) -
                                absl::Milliseconds(waited_ms_);
  return std::clamp(limits_.body_timeout + earned, absl::ZeroDuration(),
                    limits_.body_timeout);
}

net::Task<void> RequestBody::ForwardEnd() {
  if (dropping_) co_return;
  std::string end;
  AppendLastChunk(codec_.trailers(), &end);
  net::IoResult sent = co_await upstream_.Write(end);
  if (sent.error != 0) dropping_ = true;
}

net::Task<bool> RequestBody::ForwardBytes(std::string head, char* bytes,
                                          size_t size) {
  const bool chunks = progress_.chunks();
  const ChunkDecoder::Step step = progress_.Take(bytes, size);
  held_.assign(bytes + step.consumed, size - step.consumed);
  received_ += step.payload;
  too_large_ =
      received_ / 1024 / 1024 >= static_cast<uint64_t>(limits_.max_body_mib) &&
      received_ > static_cast<uint64_t>(limits_.max_body_mib) * 1024 * 1024;
  if (too_large_) {
    upstream_.Cancel();
    co_return false;
  }
  if (step.bad) {
    bad_ = true;
    upstream_.Cancel();
    co_return false;
  }
  if (dropping_) {
    dropped_ += step.consumed;
    co_return dropped_ < kMaxDropped;
  }
  std::string_view wire(bytes, step.payload);
  if (chunks || !head.empty()) {
    if (chunks) {
      AppendChunk(wire, &head);
      if (step.done) AppendLastChunk(progress_.trailers(), &head);
    } else {
      head.append(wire);
    }
    wire = head;
  }
  net::IoResult sent = co_await upstream_.Write(wire);
  if (sent.error != 0) {
    // The upstream may have responded before it stopped reading: the response
    // can still be read.
    dropping_ = true;
    client_.ExpireAfter(kDropTimeout);
  }
  co_return true;
}

net::Task<WholeBodyResult> ReadWholeBody(DownstreamCodec& codec,
                                         BodyFraming framing, size_t max_bytes,
                                         absl::Duration timeout,
                                         BudgetCharge& charge,
                                         std::string* body) {
  net::EventLoop& loop = codec.stream().loop();
  const int64_t due_ms = loop.now_ms() + absl::ToInt64Milliseconds(timeout);
  BodyProgress progress(framing);
  std::string first = std::exchange(codec.held(), {});
  char* bytes = first.data();
  size_t size = first.size();
  for (int turn = 1;; ++turn) {
    const ChunkDecoder::Step step = progress.Take(bytes, size);
    if (step.bad) co_return WholeBodyResult::kMalformed;
    if (body->size() + step.payload > max_bytes) {
      co_return WholeBodyResult::kTooLarge;
    }
    if (!charge.Take(step.payload)) co_return WholeBodyResult::kNoMemory;
    body->append(bytes, step.payload);
    codec.held().append(bytes + step.consumed, size - step.consumed);
    if (progress.done()) co_return WholeBodyResult::kWhole;
    std::string().swap(first);

    if (turn % 20 == 0) co_await loop.Yield();
    const int64_t left_ms = due_ms - loop.now_ms();
    if (left_ms <= 0) co_return WholeBodyResult::kLate;
    codec.stream().ExpireAfter(absl::Milliseconds(left_ms));
    net::IoResult got = co_await codec.stream().Read(
        loop.scratch(), net::EventLoop::kScratchBytes);
    if (got.error == ETIMEDOUT) co_return WholeBodyResult::kLate;
    if (got.error != 0) co_return WholeBodyResult::kGone;
    if (got.bytes == 0) {
      co_return progress.TakeEnd() ? WholeBodyResult::kWhole
                                   : WholeBodyResult::kGone;
    }
    bytes = loop.scratch();
    size = got.bytes;
  }
}

}  // namespace carme::proxy
