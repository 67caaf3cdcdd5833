#include "proxy/http2_connection.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "common/log.h"

namespace carme::proxy {
namespace {

// What is gathered for one write.
constexpr size_t kMostGathered = 32 * 1024;
// Frames that wait for a client that does not read: answers to its pings,
// settings and mistakes, and the heads of its answers.
constexpr size_t kMostQueued = 1000;
constexpr absl::Duration kFarewellTime = absl::Seconds(1);
// More than a browser that leaves a page full of images resets at once.
constexpr int64_t kMostResets = 200, kResetsPerSecond = 20;
constexpr int64_t kMostIdleFrames = 1000, kIdleFramesPerSecond = 100;
// Windows that are opened, more for each frame of an answer: some clients do so
// for every few KiB that they have read, of the stream and of the connection.
constexpr int64_t kMostWindows = 1000, kWindowsPerSecond = 100;
constexpr int64_t kWindowsPerFrame = 10;
constexpr size_t kTypeInFrame = 3;  // RFC 9113 section 4.1

}  // namespace

Http2Connection::Http2Connection(Worker& worker, net::TlsStream& stream,
                                 Decider& decider)
    : worker_(worker),
      stream_(stream),
      decider_(decider),
      resets_(kMostResets, kResetsPerSecond),
      idle_frames_(kMostIdleFrames, kIdleFramesPerSecond),
      windows_(kMostWindows, kWindowsPerSecond) {}

Http2Connection::~Http2Connection() { nghttp2_session_del(session_); }

net::Task<void> Http2Connection::Serve() {
  if (!Open()) co_return;
  idle_due_ = In(worker_.services().limits.head_timeout);
  if (worker_.draining()) Drain();
  Send();
  net::EventLoop& loop = worker_.loop();
  for (int turn = 1; !over_; ++turn) {
    SetDeadline();
    net::IoResult got =
        co_await stream_.Read(loop.scratch(), net::EventLoop::kScratchBytes);
    if (got.error != 0 || got.bytes == 0) break;
    Receive({loop.scratch(), got.bytes});
    // Resets first: what turned out malformed is not begun.
    Send();
    if (!over_) Settle();
    Send();
    if (turn % 16 == 0) co_await loop.Yield();
  }
  over_ = true;
  started_.clear();
  absl::erase_if(requests_,
                 [](const auto& entry) { return !entry.second->started(); });
  for (auto& [id, request] : requests_) request->Abort();
  nghttp2_session_terminate_session(session_, NGHTTP2_NO_ERROR);
  Send();
  stream_.ExpireAfter(kFarewellTime);
  ended_.emplace(loop, 1);
  CheckEnd();
  co_await ended_->Wait();
}

int64_t Http2Connection::In(absl::Duration delay) const {
  return worker_.loop().now_ms() + absl::ToInt64Milliseconds(delay);
}

void Http2Connection::SetDeadline() {
  if (over_) return;
  const bool leaves = draining_ && requests_.empty() && !sending_;
  const int64_t due = leaves ? 0 : std::min({head_due_, send_due_, idle_due_});
  if (due == kNever) return stream_.NeverExpire();
  stream_.ExpireAfter(
      absl::Milliseconds(std::max<int64_t>(0, due - worker_.loop().now_ms())));
}

void Http2Connection::CheckEnd() {
  if (!ended_ || !requests_.empty() || sending_ || settles_soon_) return;
  ended_->CountDown();
}

void Http2Connection::Drain() {
  if (session_ == nullptr || over_ || draining_) return;
  draining_ = true;
  nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE,
                        nghttp2_session_get_last_proc_stream_id(session_),
                        NGHTTP2_NO_ERROR, nullptr, 0);
  Send();
  SetDeadline();
}

void Http2Connection::Calm(const char* why) {
  if (over_) return;
  over_ = true;
  LogDebug("HTTP/2 client asked to be calm",
           {{"client", decider_.client_address()}, {"why", why}});
  nghttp2_session_terminate_session(session_, NGHTTP2_ENHANCE_YOUR_CALM);
}

void Http2Connection::Count(net::FrameBudget& budget, const char* what) {
  if (!budget.Take(worker_.loop().now_ms())) Calm(what);
}

void Http2Connection::Receive(std::string_view bytes) {
  receiving_ = true;
  const ssize_t read = nghttp2_session_mem_recv(
      session_, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  receiving_ = false;
  if (read < 0) {
    LogDebug("HTTP/2 not understood",
             {{"client", decider_.client_address()},
              {"why", nghttp2_strerror(static_cast<int>(read))}});
    if (read == NGHTTP2_ERR_BAD_CLIENT_MAGIC) {
      over_ = true;
      nghttp2_session_terminate_session(session_, NGHTTP2_PROTOCOL_ERROR);
    }
    // What else ends it are floods: of continuations, of what is answered.
    Calm(nghttp2_strerror(static_cast<int>(read)));
  }
  if (nghttp2_session_get_outbound_queue_size(session_) > kMostQueued) {
    Calm("it does not read");
  }
  if (!nghttp2_session_want_read(session_)) over_ = true;
}

void Http2Connection::Settle() {
  while (!started_.empty() || !gone_.empty() || !woken_.empty()) {
    if (!started_.empty()) {
      const Start start = started_.front();
      started_.pop_front();
      Http2Request* request = Find(start.id);
      if (request == nullptr) continue;
      worker_.loop().Spawn(RunRequest(*request, start.body_follows));
    } else if (!gone_.empty()) {
      Http2Request* request = Find(gone_.front());
      gone_.pop_front();
      if (request != nullptr) request->Abort();
    } else {
      net::Http2Stream* stream = woken_.front();
      woken_.pop_front();
      stream->Wake();
    }
  }
}

// Where no coroutine can be resumed, because one is running.
void Http2Connection::SettleLater() {
  if (settles_soon_) return;
  settles_soon_ = true;
  worker_.loop().Spawn(SettleSoon());
}

net::Task<void> Http2Connection::SettleSoon() {
  co_await worker_.loop().Yield();
  settles_soon_ = false;
  Settle();
  Send();
  CheckEnd();
}

net::Task<void> Http2Connection::RunRequest(Http2Request& request,
                                            bool body_follows) {
  const int32_t id = request.body().id();
  co_await request.Run(body_follows);
  net::Http2Stream& body = request.body();
  nghttp2_session_set_stream_user_data(session_, id, nullptr);
  if (!body.closed() && (body.cut() || !body.ended())) {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id,
                              NGHTTP2_INTERNAL_ERROR);
  } else if (!body.closed() && !body.client_ended()) {
    // A tunnel whose other half the client has not closed.
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id,
                              NGHTTP2_NO_ERROR);
  }
  Erase(id);
  SetDeadline();
  Send();
  CheckEnd();
}

Http2Request* Http2Connection::Find(int32_t id) {
  auto found = requests_.find(id);
  return found == requests_.end() ? nullptr : found->second.get();
}

void Http2Connection::Erase(int32_t id) {
  requests_.erase(id);
  if (requests_.empty()) {
    idle_due_ = In(worker_.services().limits.keep_alive_timeout);
  }
}

void Http2Connection::Consumed(int32_t id, size_t bytes) {
  if (id == 0) {
    nghttp2_session_consume_connection(session_, bytes);
  } else {
    nghttp2_session_consume(session_, id, bytes);
  }
  // Not now: what was read is not used yet, and lies where others read to.
  if (nghttp2_session_want_write(session_)) SettleLater();
}

void Http2Connection::SendFor(int32_t id) {
  nghttp2_session_resume_data(session_, id);
  Send();
}

void Http2Connection::WakeSoon(net::Http2Stream* stream) {
  if (std::find(woken_.begin(), woken_.end(), stream) == woken_.end()) {
    woken_.push_back(stream);
  }
}

void Http2Connection::Forget(net::Http2Stream* stream) {
  std::erase(woken_, stream);
}

void Http2Connection::Send() {
  if (sending_ || receiving_ || !nghttp2_session_want_write(session_)) return;
  sending_ = true;
  worker_.loop().Spawn(SendAll());
}

net::Task<void> Http2Connection::SendAll() {
  for (;;) {
    const uint8_t* bytes = nullptr;
    ssize_t size = 0;
    do {
      size = nghttp2_session_mem_send(session_, &bytes);
      if (size <= 0) break;
      out_.append(reinterpret_cast<const char*>(bytes),
                  static_cast<size_t>(size));
      // It is one frame.
      if (bytes[kTypeInFrame] <= NGHTTP2_HEADERS) {
        windows_.Give(kWindowsPerFrame);
      }
    } while (out_.size() < kMostGathered);
    if (size < 0) stream_.Cancel(EPROTO);
    if (out_.empty()) break;
    send_due_ = In(worker_.services().limits.body_timeout);
    SetDeadline();
    net::IoResult put = co_await stream_.Write(out_);
    send_due_ = kNever;
    out_.clear();
    if (put.error != 0) {
      stream_.Cancel(put.error);
      break;
    }
  }
  std::string().swap(out_);
  sending_ = false;
  SetDeadline();
  if (!gone_.empty() || !woken_.empty()) SettleLater();
  CheckEnd();
}

}  // namespace carme::proxy
