#include "common/net/http2_link.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "common/status.h"

namespace carme::net {
namespace {

constexpr size_t kMostGathered = 32 * 1024;  // for one write
// Frames that wait for a side that does not read.
constexpr size_t kMostQueued = 4000;
constexpr absl::Duration kFarewellTime = absl::Seconds(1);
constexpr int kMostSilences = 3;
constexpr int64_t kMostIdleFrames = 1000, kIdleFramesPerSecond = 100;
constexpr int kTurnsBetweenYields = 16;

}  // namespace

Http2Link::Http2Link(EventLoop& loop, Stream& transport,
                     Http2LinkOptions options)
    : loop_(loop),
      transport_(transport),
      options_(std::move(options)),
      idle_frames_(kMostIdleFrames, kIdleFramesPerSecond) {}

Http2Link::~Http2Link() { nghttp2_session_del(session_); }

std::shared_ptr<Http2Link> Http2Link::Create(EventLoop& loop, Stream& transport,
                                             Http2LinkOptions options) {
  return std::shared_ptr<Http2Link>(
      new Http2Link(loop, transport, std::move(options)));
}

Task<absl::Status> Http2Link::Serve() {
  const std::shared_ptr<Http2Link> self = shared_from_this();
  int error = 0;
  int silences = 0;
  if (!Begin()) Break("no memory for it");
  Send();
  for (int turn = 1; !over_; ++turn) {
    transport_.ExpireAfter(Finished() ? absl::ZeroDuration()
                                      : options_.silence);
    const IoResult got =
        co_await transport_.Read(loop_.scratch(), EventLoop::kScratchBytes);
    if (over_ || Finished()) break;
    error = got.error;
    if (error == ETIMEDOUT && ++silences < kMostSilences) {
      nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, nullptr);
      Send();
      continue;
    }
    if (error != 0 || got.bytes == 0) break;
    silences = 0;
    Receive({loop_.scratch(), got.bytes});
    Settle();
    Send();
    if (turn % kTurnsBetweenYields == 0) co_await loop_.Yield();
  }
  over_ = true;
  for (const auto& [id, stream] : streams_) stream->TakeClose();
  arrived_.clear();
  if (session_ != nullptr && why_ == nullptr) {
    nghttp2_session_terminate_session(session_, NGHTTP2_NO_ERROR);
  }
  Settle();
  Send();
  transport_.ExpireAfter(kFarewellTime);
  ended_.emplace(loop_, 1);
  CheckEnd();
  co_await ended_->Wait();
  gone_ = true;
  if (why_ != nullptr) co_return absl::InvalidArgumentError(why_);
  if (draining_) co_return absl::OkStatus();
  if (error != 0) co_return ErrnoError(error, "link");
  co_return absl::UnavailableError("the other side hung up");
}

void Http2Link::CheckEnd() {
  if (!ended_ || sending_ || settles_soon_) return;
  ended_->CountDown();
}

void Http2Link::Break(const char* why) {
  if (over_) return;
  over_ = true;
  why_ = why;
  if (session_ == nullptr) return;
  nghttp2_session_terminate_session(session_, NGHTTP2_ENHANCE_YOUR_CALM);
}

void Http2Link::Count(const char* what) {
  if (!idle_frames_.Take(loop_.now_ms())) Break(what);
}

absl::StatusOr<std::unique_ptr<Stream>> Http2Link::Open() {
  if (over_ || draining_ || session_ == nullptr) {
    return absl::UnavailableError("the link is ending");
  }
  const uint32_t theirs = nghttp2_session_get_remote_settings(
      session_, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS);
  if (streams_.size() >= std::min(theirs, options_.most_streams)) {
    return absl::ResourceExhaustedError("too many streams on the link");
  }
  const int32_t id = Connect();
  // All numbers are used up, after a thousand million streams.
  if (id < 0) {
    Drain();
    return absl::UnavailableError(nghttp2_strerror(id));
  }
  std::unique_ptr<Http2Stream> stream = NewStream(id);
  const absl::Status started = stream->Start();
  if (!started.ok()) return started;
  // What is written first goes with it.
  return std::unique_ptr<Stream>(std::move(stream));
}

void Http2Link::Drain() {
  if (session_ == nullptr || over_ || draining_) return;
  draining_ = true;
  nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE,
                        nghttp2_session_get_last_proc_stream_id(session_),
                        NGHTTP2_NO_ERROR, nullptr, 0);
  Send();
  if (Finished()) transport_.ExpireAfter(absl::ZeroDuration());
}

void Http2Link::Cut(int error) {
  if (!gone_) transport_.Cancel(error);
}

std::unique_ptr<Http2Stream> Http2Link::NewStream(int32_t id) {
  Http2Carrier& carrier = *this;
  auto stream =
      std::make_unique<Http2Stream>(carrier, loop_, id, shared_from_this());
  streams_[id] = stream.get();
  return stream;
}

Http2Stream* Http2Link::Find(int32_t id) {
  const auto found = streams_.find(id);
  return found == streams_.end() ? nullptr : found->second;
}

void Http2Link::Receive(std::string_view bytes) {
  receiving_ = true;
  const ssize_t read = nghttp2_session_mem_recv(
      session_, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  receiving_ = false;
  if (read < 0) Break(nghttp2_strerror(static_cast<int>(read)));
  if (nghttp2_session_get_outbound_queue_size(session_) > kMostQueued) {
    Break("it does not read");
  }
}

void Http2Link::Settle() {
  while (!arrived_.empty() || !woken_.empty()) {
    if (!arrived_.empty()) {
      std::unique_ptr<Http2Stream> stream = std::move(arrived_.front());
      arrived_.pop_front();
      options_.on_stream(std::move(stream));
    } else {
      Http2Stream* stream = woken_.front();
      woken_.pop_front();
      stream->Wake();
    }
  }
  if (std::exchange(left_, false) && options_.on_leave) options_.on_leave();
}

void Http2Link::SettleLater() {
  if (settles_soon_ || gone_) return;
  settles_soon_ = true;
  loop_.Spawn(SettleSoon());
}

Task<void> Http2Link::SettleSoon() {
  const std::shared_ptr<Http2Link> self = shared_from_this();
  co_await loop_.Yield();
  settles_soon_ = false;
  Settle();
  Send();
  if (Finished() && !over_) transport_.ExpireAfter(absl::ZeroDuration());
  CheckEnd();
}

void Http2Link::Consumed(int32_t id, size_t bytes) {
  if (session_ == nullptr || over_) return;
  if (id == 0) {
    nghttp2_session_consume_connection(session_, bytes);
  } else {
    nghttp2_session_consume(session_, id, bytes);
  }
  // Not now: what was read is not used yet, and lies where others read to.
  if (nghttp2_session_want_write(session_) != 0) SettleLater();
}

void Http2Link::SendFor(int32_t id) {
  if (over_) return;
  nghttp2_session_resume_data(session_, id);
  Send();
}

void Http2Link::WakeSoon(Http2Stream* stream) {
  if (std::find(woken_.begin(), woken_.end(), stream) == woken_.end()) {
    woken_.push_back(stream);
  }
}

void Http2Link::Forget(Http2Stream* stream) {
  std::erase(woken_, stream);
  streams_.erase(stream->id());
  if (over_) return;
  // Or the other side would wait for what nobody sends.
  if (!stream->closed()) {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream->id(),
                              NGHTTP2_CANCEL);
  }
  SettleLater();
}

void Http2Link::Send() {
  if (sending_ || receiving_ || gone_ || session_ == nullptr ||
      nghttp2_session_want_write(session_) == 0) {
    return;
  }
  sending_ = true;
  loop_.Spawn(SendAll());
}

Task<void> Http2Link::SendAll() {
  const std::shared_ptr<Http2Link> self = shared_from_this();
  for (;;) {
    const uint8_t* bytes = nullptr;
    ssize_t size = 0;
    do {
      size = nghttp2_session_mem_send(session_, &bytes);
      if (size > 0) {
        out_.append(reinterpret_cast<const char*>(bytes),
                    static_cast<size_t>(size));
      }
    } while (size > 0 && out_.size() < kMostGathered);
    if (size < 0) transport_.Cancel(EPROTO);
    if (out_.empty()) break;
    const IoResult put = co_await transport_.Write(out_);
    out_.clear();
    if (put.error != 0) {
      transport_.Cancel(put.error);
      break;
    }
  }
  std::string().swap(out_);
  sending_ = false;
  // Its last word is out: an error that nghttp2 has found, or both are done.
  if (!over_ && nghttp2_session_want_read(session_) == 0) {
    over_ = true;
    transport_.ExpireAfter(absl::ZeroDuration());
  }
  if (!woken_.empty() || Finished()) SettleLater();
  CheckEnd();
}

}  // namespace carme::net
