// The part of Exchange for the portal: requests that are read completely, and
// responses that do not wait for their client in the frontend.
#include <string>
#include <utility>

#include "proxy/body_progress.h"
#include "proxy/exchange.h"
#include "proxy/whole_body.h"

namespace carme::proxy {

net::Task<bool> Exchange::ReadPortalRequest() {
  if (request_.expects_continue && side_.held().empty()) {
    worker_.out().clear();
    side_.AppendContinue(&worker_.out());
    net::IoResult put = co_await client_.Write(worker_.out());
    if (put.error != 0) co_return false;
  }
  std::string body;
  const WholeBodyResult result = co_await ReadWholeBody(
      side_, request_.body, kMaxPortalBody,
      worker_.services().limits.portal_client_timeout, body_charge_, &body);
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
      worker_.counters().Of(Limit::kBody).Add();
      co_await AnswerNotice(Notice::kBodyTooLarge);
      co_return false;
    case WholeBodyResult::kNoMemory:
      worker_.counters().Of(Limit::kPortalBuffer).Add();
      co_await AnswerNotice(Notice::kPortalBusy);
      co_return false;
  }
  co_return false;
}

net::Task<bool> Exchange::PassPortalResponse(BodyFraming framing, bool reusable,
                                             bool close) {
  const bool unbounded = framing.kind == BodyKind::kChunked ||
                         framing.kind == BodyKind::kUntilClose;
  is_stream_ = unbounded || framing.length > kMaxBufferedResponse;
  if (is_stream_ && aborted_) co_return false;
  // A large file keeps its place among the requests: strangers can ask for it.
  if (unbounded && !request_.seat.BecomeStream()) {
    worker_.counters().Of(Limit::kPortalStreams).Add();
    upstream_ = nullptr;
    co_return co_await AnswerNotice(Notice::kTooMany);
  }
  // The head lies in bytes that the next wait overwrites.
  std::string head;
  if (!aborted_) {
    worker_.out().clear();
    AddOwnFields();
    request_.record.Answered(worker_.response().status);
    AppendHead(framing, close);
    head = worker_.out();
  }
  response_.emplace(
      worker_.loop(), worker_.pool(), std::move(upstream_),
      ResponseBuffer::Options{framing, reusable,
                              worker_.services().limits.body_timeout},
      worker_.services().portal.buffers());
  response_->Begin(input_ + head_bytes_, input_size_ - head_bytes_);
  if (!response_->ended()) {
    worker_.loop().Spawn(response_->Fill());
    if (aborted_) response_->Discard(kUnreadResponseTime);
  }
  bool written = false;
  if (!aborted_) {
    written = co_await WriteBuffered(unbounded && side_.chunks(),
                                     std::move(head));
  }
  if (!written) {
    // Cut, so that the client does not take what it has for the whole.
    client_.Cancel();
    is_stream_ ? response_->Cancel()
               : response_->Discard(kUnreadResponseTime);
  }
  co_await response_->WaitForEnd();
  co_return written && !close;
}

net::Task<bool> Exchange::WriteBuffered(bool chunks, std::string wire) {
  const ProxyLimits& limits = worker_.services().limits;
  const absl::Duration patience =
      is_stream_ ? limits.body_timeout : limits.portal_client_timeout;
  // HTTP/2 makes frames of it, which take turns with those of others.
  const size_t max_bytes = side_.chunks() ? net::EventLoop::kBodyBytes
                                          : net::EventLoop::kScratchBytes;
  for (int turn = 1;; ++turn) {
    // The head of a stream does not wait for its first message.
    if (turn > 1) co_await response_->WaitForBytes();
    const std::string piece = response_->Take(max_bytes);
    const bool over = response_->finished();
    if (chunks) {
      AppendChunk(piece, &wire);
    } else {
      wire.append(piece);
    }
    if (over && !response_->failed()) {
      side_.AppendEnd(chunks, response_->trailers(), &wire);
    }
    CountSent(piece.size());
    client_.ExpireAfter(patience);
    net::IoResult put = co_await client_.Write(wire);
    if (put.error != 0) co_return false;
    if (over) co_return !response_->failed();
    wire.clear();
    if (turn % 20 == 0) co_await worker_.loop().Yield();
  }
}

}  // namespace carme::proxy
