#include "proxy/routing/response_buffer.h"

#include <algorithm>
#include <utility>

namespace carme::proxy {
namespace {

// The front of the buffer is compacted in steps of this size.
constexpr size_t kCompactBytes = 64 * 1024;

}  // namespace

ResponseBuffer::ResponseBuffer(net::EventLoop& loop, UpstreamPtr upstream,
                               const Options& options, ByteBudget& budget)
    : loop_(loop),
      charge_(budget, budget.request_share()),
      upstream_(std::move(upstream)),
      progress_(options.framing),
      max_bytes_(
          options.framing.kind == BodyKind::kLength
              ? std::min<uint64_t>(options.framing.length, kMaxBufferedResponse)
              : 0),
      timeout_(options.timeout) {}

void ResponseBuffer::Wake(std::coroutine_handle<>* slot) {
  if (*slot) loop_.Schedule(std::exchange(*slot, {}));
}

void ResponseBuffer::Begin(char* bytes, size_t size) {
  // Most responses are complete here. Reserve the known size of a longer one,
  // because doubling would take up to twice as much.
  if (max_bytes_ > size) buffer_.reserve(max_bytes_);
  Accept(bytes, size);
}

void ResponseBuffer::Accept(char* bytes, size_t size) {
  const ChunkDecoder::Step step = progress_.Take(bytes, size);
  if (step.bad) return End(true);
  if (!discard_) {
    buffer_.append(bytes, step.payload);
    if (!charge_.Take(step.payload)) starved_ = true;
  }
  if (progress_.done()) return End(false);
  Wake(&reader_);
}

void ResponseBuffer::End(bool failed) {
  if (ended_) return;
  ended_ = true;
  failed_ = failed;
  upstream_.reset();
  Wake(&reader_);
}

bool ResponseBuffer::HasRoom() const {
  if (discard_) return true;
  return starved_ ? held() == 0 : held() < kMaxBufferedResponse;
}

net::Task<void> ResponseBuffer::Fill() {
  for (int turn = 1; !ended_; ++turn) {
    if (!HasRoom()) {
      co_await Park{filler_};
      continue;
    }
    upstream_->held.clear();
    if (!discard_) upstream_->stream->ExpireAfter(timeout_);
    net::IoResult got = co_await upstream_->stream->Read(
        loop_.scratch(), net::EventLoop::kBodyBytes);
    if (got.error != 0) {
      End(true);
    } else if (got.bytes > 0) {
      Accept(loop_.scratch(), got.bytes);
    } else {
      const bool whole = progress_.TakeEnd() && !upstream_->stream->truncated();
      End(!whole);
    }
    if (turn % 20 == 0 && !ended_) co_await loop_.Yield();
  }
}

net::Task<void> ResponseBuffer::WaitForBytes() {
  while (held() == 0 && !ended_) co_await Park{reader_};
}

std::string ResponseBuffer::Take(size_t max_bytes) {
  const size_t bytes = std::min(max_bytes, held());
  std::string piece = buffer_.substr(taken_, bytes);
  taken_ += bytes;
  if (taken_ == buffer_.size()) {
    std::string().swap(buffer_);
    taken_ = 0;
    starved_ = false;
  } else if (taken_ >= kCompactBytes) {
    buffer_.erase(0, std::exchange(taken_, 0));
  }
  charge_.Return(bytes);
  if (HasRoom()) Wake(&filler_);
  return piece;
}

void ResponseBuffer::Cancel() {
  discard_ = true;
  if (upstream_ != nullptr) upstream_->stream->Cancel();
  Wake(&filler_);
}

void ResponseBuffer::Discard(absl::Duration timeout) {
  if (ended_) return;
  discard_ = true;
  upstream_->stream->ExpireAfter(timeout);
  Wake(&filler_);
}

net::Task<void> ResponseBuffer::WaitForEnd() {
  while (!ended_) co_await Park{reader_};
}

}  // namespace carme::proxy
