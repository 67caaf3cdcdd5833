#include "proxy/downstream/http2_connection.h"

#include <algorithm>
#include <cerrno>
#include <utility>

#include "common/log.h"

namespace carme::proxy {
namespace {

// Frames are gathered up to this size for one write.
constexpr size_t kMaxWriteBytes = 32 * 1024;
// Frames queued for a client that does not read: responses to its pings,
// settings and errors, and heads of responses.
constexpr size_t kMaxQueuedFrames = 1000;
constexpr absl::Duration kShutdownTimeout = absl::Seconds(1);
// For a client that connected just before the proxy stops.
constexpr absl::Duration kFirstStreamTimeout = absl::Seconds(2);
// More than a browser resets when it leaves a page with many images.
constexpr int64_t kMaxResets = 200, kResetsPerSecond = 20;
constexpr int64_t kMaxIdleFrames = 1000, kIdleFramesPerSecond = 100;
// Window updates; each frame of a response allows more, because some clients
// send one for every few KiB, both for the stream and the connection.
constexpr int64_t kMaxWindowUpdates = 1000, kWindowUpdatesPerSecond = 100;
constexpr int64_t kWindowUpdatesPerFrame = 10;
constexpr size_t kTypeInFrame = 3;  // RFC 9113 section 4.1

constexpr uint32_t kStreamWindow = 256 * 1024;
// For all streams together: limits the memory of a connection.
constexpr int32_t kConnectionWindow = 1024 * 1024;
// Limits of one head. A page of a job can make a browser send hundreds of KiB
// of cookies (in Chromium 180 of 4 KiB); the browser must get the response that
// deletes them.
constexpr size_t kMaxContinuations = 64;
constexpr size_t kMaxCookieBytes = 1024 * 1024;
// Without cookies, a head may exceed the limit by this factor and still get a
// response. Beyond that the connection is closed.
constexpr size_t kMaxHeadFactor = 4;

// Null: out of memory.
const nghttp2_option* Options() {
  static nghttp2_option* const option = [] {
    nghttp2_option* made = nullptr;
    if (nghttp2_option_new(&made) != 0) return made;
    // Windows are updated when the upstream has taken the bytes.
    nghttp2_option_set_no_auto_window_update(made, 1);
    nghttp2_option_set_no_closed_streams(made, 1);
    nghttp2_option_set_max_continuations(made, kMaxContinuations);
    // Otherwise OnBeginFrame would not be called for these.
    for (int type = NGHTTP2_CONTINUATION + 1; type <= 0xff; ++type) {
      nghttp2_option_set_user_recv_extension_type(made,
                                                  static_cast<uint8_t>(type));
    }
    return made;
  }();
  return option;
}

}  // namespace

Http2Connection::Http2Connection(LoopState& state, net::TlsStream& stream,
                                 RequestRouter& router)
    : state_(state),
      stream_(stream),
      router_(router),
      resets_(kMaxResets, kResetsPerSecond),
      idle_frames_(kMaxIdleFrames, kIdleFramesPerSecond),
      windows_(kMaxWindowUpdates, kWindowUpdatesPerSecond) {}

Http2Connection::~Http2Connection() { nghttp2_session_del(session_); }

net::Task<void> Http2Connection::Serve() {
  if (!Open()) co_return;
  idle_due_ = In(state_.shared().limits.request_header_timeout);
  if (state_.draining()) Drain();
  Send();
  net::EventLoop& loop = state_.loop();
  for (int turn = 1; !closing_; ++turn) {
    SetDeadline();
    net::IoResult got =
        co_await stream_.Read(loop.scratch(), net::EventLoop::kScratchBytes);
    if (got.error != 0 || got.bytes == 0) break;
    Receive({loop.scratch(), got.bytes});
    // Send resets first: malformed requests are not started.
    Send();
    if (!closing_) ProcessEvents();
    if (state_.draining()) Drain();
    Send();
    if (turn % 16 == 0) co_await loop.Yield();
  }
  closing_ = true;
  started_.clear();
  absl::erase_if(requests_,
                 [](const auto& entry) { return !entry.second->started(); });
  for (auto& [id, request] : requests_) request->Abort();
  nghttp2_session_terminate_session(session_, NGHTTP2_NO_ERROR);
  Send();
  stream_.ExpireAfter(kShutdownTimeout);
  ended_.emplace(loop, 1);
  CheckEnd();
  co_await ended_->Wait();
}

int64_t Http2Connection::In(absl::Duration delay) const {
  return state_.loop().now_ms() + absl::ToInt64Milliseconds(delay);
}

void Http2Connection::SetDeadline() {
  if (closing_) return;
  const bool leaves = draining_ && requests_.empty() && !sending_;
  const int64_t due = leaves ? 0 : std::min({head_due_, send_due_, idle_due_});
  if (due == kNever) return stream_.NeverExpire();
  stream_.ExpireAfter(
      absl::Milliseconds(std::max<int64_t>(0, due - state_.loop().now_ms())));
}

void Http2Connection::CheckEnd() {
  if (!ended_ || !requests_.empty() || sending_ || processing_scheduled_)
    return;
  ended_->CountDown();
}

void Http2Connection::Drain() {
  if (session_ == nullptr || closing_ || draining_) return;
  const int32_t last = nghttp2_session_get_last_proc_stream_id(session_);
  if (last == 0) {
    // A new connection: its first request is on its way, and some clients do
    // not repeat it after GOAWAY. Serve() calls this again when it arrives.
    // If it is arriving, head_due_ applies.
    if (idle_due_ != kNever) {
      idle_due_ = std::min(idle_due_, In(kFirstStreamTimeout));
    }
    return SetDeadline();
  }
  draining_ = true;
  nghttp2_submit_goaway(session_, NGHTTP2_FLAG_NONE, last, NGHTTP2_NO_ERROR,
                        nullptr, 0);
  Send();
  SetDeadline();
}

void Http2Connection::CloseForAbuse(const char* error) {
  if (closing_) return;
  closing_ = true;
  LogDebug("HTTP/2 connection closed for abuse",
           {{"client", router_.client_address()}, {"error", error}});
  nghttp2_session_terminate_session(session_, NGHTTP2_ENHANCE_YOUR_CALM);
}

void Http2Connection::Count(net::FrameBudget& budget, const char* what) {
  if (!budget.Take(state_.loop().now_ms())) CloseForAbuse(what);
}

void Http2Connection::Receive(std::string_view bytes) {
  receiving_ = true;
  const ssize_t read = nghttp2_session_mem_recv(
      session_, reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  receiving_ = false;
  if (read < 0) {
    LogDebug("HTTP/2 protocol error",
             {{"client", router_.client_address()},
              {"error", nghttp2_strerror(static_cast<int>(read))}});
    if (read == NGHTTP2_ERR_BAD_CLIENT_MAGIC) {
      closing_ = true;
      nghttp2_session_terminate_session(session_, NGHTTP2_PROTOCOL_ERROR);
    }
    // Other errors are floods, such as too many CONTINUATION frames.
    CloseForAbuse(nghttp2_strerror(static_cast<int>(read)));
  }
  if (nghttp2_session_get_outbound_queue_size(session_) > kMaxQueuedFrames) {
    CloseForAbuse("too many frames queued");
  }
  if (!nghttp2_session_want_read(session_)) closing_ = true;
}

void Http2Connection::ProcessEvents() {
  while (!started_.empty() || !cancelled_.empty() || !woken_.empty()) {
    if (!started_.empty()) {
      const Start start = started_.front();
      started_.pop_front();
      Http2Request* request = Find(start.id);
      if (request == nullptr) continue;
      state_.loop().Spawn(RunRequest(*request, start.body_follows));
    } else if (!cancelled_.empty()) {
      Http2Request* request = Find(cancelled_.front());
      cancelled_.pop_front();
      if (request != nullptr) request->Abort();
    } else {
      net::Http2Stream* stream = woken_.front();
      woken_.pop_front();
      stream->Wake();
    }
  }
}

// For places where no coroutine may be resumed.
void Http2Connection::ScheduleProcessEvents() {
  if (processing_scheduled_) return;
  processing_scheduled_ = true;
  state_.loop().Spawn(ProcessEventsSoon());
}

net::Task<void> Http2Connection::ProcessEventsSoon() {
  co_await state_.loop().Yield();
  processing_scheduled_ = false;
  ProcessEvents();
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
    // A tunnel: the client has not closed its direction.
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
    idle_due_ = In(state_.shared().limits.keep_alive_timeout);
  }
}

void Http2Connection::Consumed(int32_t id, size_t bytes) {
  if (id == 0) {
    nghttp2_session_consume_connection(session_, bytes);
  } else {
    nghttp2_session_consume(session_, id, bytes);
  }
  // Not now: the read bytes are still in the shared scratch buffer.
  if (nghttp2_session_want_write(session_)) ScheduleProcessEvents();
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

void Http2Connection::RemoveStream(net::Http2Stream* stream) {
  std::erase(woken_, stream);
}

void Http2Connection::Send() {
  if (sending_ || receiving_ || !nghttp2_session_want_write(session_)) return;
  sending_ = true;
  state_.loop().Spawn(SendAll());
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
      // mem_send returns one frame.
      if (bytes[kTypeInFrame] <= NGHTTP2_HEADERS) {
        windows_.Give(kWindowUpdatesPerFrame);
      }
    } while (out_.size() < kMaxWriteBytes);
    if (size < 0) stream_.Cancel(EPROTO);
    if (out_.empty()) break;
    send_due_ = In(state_.shared().limits.body_timeout);
    SetDeadline();
    net::IoResult written = co_await stream_.Write(out_);
    send_due_ = kNever;
    out_.clear();
    if (written.error != 0) {
      stream_.Cancel(written.error);
      break;
    }
  }
  std::string().swap(out_);
  sending_ = false;
  SetDeadline();
  if (!cancelled_.empty() || !woken_.empty()) ScheduleProcessEvents();
  CheckEnd();
}

struct Http2Connection::Callbacks {
  static Http2Connection& Of(void* user) {
    return *static_cast<Http2Connection*>(user);
  }
  static std::string_view Text(nghttp2_rcbuf* buffer) {
    const nghttp2_vec bytes = nghttp2_rcbuf_get_buf(buffer);
    return {reinterpret_cast<const char*>(bytes.base), bytes.len};
  }
  static int BeginFrame(nghttp2_session*, const nghttp2_frame_hd* head,
                        void* user) {
    Of(user).OnBeginFrame(*head);
    return 0;
  }
  static int BeginHeaders(nghttp2_session*, const nghttp2_frame* frame,
                          void* user) {
    return Of(user).OnBeginHeaders(*frame);
  }
  static int Header(nghttp2_session*, const nghttp2_frame* frame,
                    nghttp2_rcbuf* name, nghttp2_rcbuf* value, uint8_t,
                    void* user) {
    return Of(user).OnHeader(*frame, Text(name), Text(value));
  }
  // By default nghttp2 drops the field and continues.
  static int InvalidHeader(nghttp2_session*, const nghttp2_frame* frame,
                           nghttp2_rcbuf*, nghttp2_rcbuf*, uint8_t,
                           void* user) {
    Http2Request* request = Of(user).Find(frame->hd.stream_id);
    if (request != nullptr) request->head().Refuse(400, "bad field");
    return 0;
  }
  static int Data(nghttp2_session* session, uint8_t, int32_t id,
                  const uint8_t* bytes, size_t size, void* user) {
    Http2Request* request = Of(user).Find(id);
    if (request == nullptr) {
      nghttp2_session_consume(session, id, size);
    } else {
      request->body().TakeData({reinterpret_cast<const char*>(bytes), size});
    }
    return 0;
  }
  static int Frame(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    return Of(user).OnFrame(*frame);
  }
  static int InvalidFrame(nghttp2_session*, const nghttp2_frame* frame, int,
                          void* user) {
    Of(user).OnInvalidFrame(*frame);
    return 0;
  }
  static int FrameSent(nghttp2_session*, const nghttp2_frame* frame,
                       void* user) {
    Of(user).OnFrameSent(*frame);
    return 0;
  }
  static int Close(nghttp2_session*, int32_t id, uint32_t error, void* user) {
    Of(user).OnClose(id, error);
    return 0;
  }

  // Unknown frames are only counted.
  static int Unknown(nghttp2_session*, const nghttp2_frame_hd*, const uint8_t*,
                     size_t, void*) {
    return NGHTTP2_ERR_CANCEL;
  }
  static int NotUnpacked(nghttp2_session*, void**, const nghttp2_frame_hd*,
                         void*) {
    return NGHTTP2_ERR_CANCEL;
  }

  static nghttp2_session_callbacks* Table() {
    static nghttp2_session_callbacks* const table = [] {
      nghttp2_session_callbacks* made = nullptr;
      nghttp2_session_callbacks_new(&made);
      nghttp2_session_callbacks_set_on_begin_frame_callback(made, BeginFrame);
      nghttp2_session_callbacks_set_on_begin_headers_callback(made,
                                                              BeginHeaders);
      nghttp2_session_callbacks_set_on_header_callback2(made, Header);
      nghttp2_session_callbacks_set_on_invalid_header_callback2(made,
                                                                InvalidHeader);
      nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, Data);
      nghttp2_session_callbacks_set_on_frame_recv_callback(made, Frame);
      nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(
          made, InvalidFrame);
      nghttp2_session_callbacks_set_on_frame_send_callback(made, FrameSent);
      nghttp2_session_callbacks_set_on_stream_close_callback(made, Close);
      nghttp2_session_callbacks_set_on_extension_chunk_recv_callback(made,
                                                                     Unknown);
      nghttp2_session_callbacks_set_unpack_extension_callback(made,
                                                              NotUnpacked);
      return made;
    }();
    return table;
  }
};

bool Http2Connection::Open() {
  if (Options() == nullptr ||
      nghttp2_session_server_new2(&session_, Callbacks::Table(), this,
                                  Options()) != 0) {
    return false;
  }
  const HeadLimits& head = state_.head_limits();
  const auto streams =
      static_cast<uint32_t>(state_.shared().limits.max_concurrent_streams);
  const nghttp2_settings_entry settings[] = {
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, streams},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindow},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE,
       static_cast<uint32_t>(head.max_bytes)},
      {NGHTTP2_SETTINGS_ENABLE_CONNECT_PROTOCOL, 1},
      {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1},
  };
  return nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings,
                                 std::size(settings)) == 0 &&
         nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0,
                                               kConnectionWindow) == 0;
}

int Http2Connection::OnBeginHeaders(const nghttp2_frame& frame) {
  if (frame.hd.type != NGHTTP2_HEADERS) return 0;
  head_due_ = In(state_.shared().limits.request_header_timeout);
  if (frame.headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
  if (closing_) return 0;
  const int32_t id = frame.hd.stream_id;
  // nghttp2 counts open streams, but the request of a reset stream may still be
  // running.
  const auto max_requests =
      static_cast<size_t>(state_.shared().limits.max_concurrent_streams);
  if (requests_.size() >= max_requests) {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id,
                              NGHTTP2_REFUSED_STREAM);
    Count(resets_, "too many concurrent requests");
    return 0;
  }
  net::Http2Carrier& carrier = *this;
  auto request =
      std::make_unique<Http2Request>(state_, router_, carrier, session_, id);
  if (!request->body().Start().ok()) return NGHTTP2_ERR_CALLBACK_FAILURE;
  nghttp2_session_set_stream_user_data(session_, id, request.get());
  requests_[id] = std::move(request);
  idle_due_ = kNever;
  return 0;
}

int Http2Connection::OnHeader(const nghttp2_frame& frame, std::string_view name,
                              std::string_view value) {
  Http2Request* request = Find(frame.hd.stream_id);
  if (frame.hd.type != NGHTTP2_HEADERS || request == nullptr) return 0;
  if (frame.headers.cat != NGHTTP2_HCAT_REQUEST) {
    request->AddTrailer(name, value);
    return 0;
  }
  request->head().Add(name, value);
  // A few bytes of HPACK can expand to very many.
  const Http2RequestHead& head = request->head();
  const size_t hopeless = kMaxHeadFactor * state_.head_limits().max_bytes;
  if (head.bytes() - head.cookie_bytes() <= hopeless &&
      head.cookie_bytes() <= kMaxCookieBytes) {
    return 0;
  }
  CloseForAbuse("header far above the limit");
  return NGHTTP2_ERR_CALLBACK_FAILURE;
}

int Http2Connection::OnFrame(const nghttp2_frame& frame) {
  const bool ends = (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
  Http2Request* request = Find(frame.hd.stream_id);
  switch (frame.hd.type) {
    case NGHTTP2_HEADERS:
      head_due_ = kNever;
      if (request == nullptr) break;
      if (frame.headers.cat == NGHTTP2_HCAT_REQUEST) {
        started_.push_back({frame.hd.stream_id, !ends});
      }
      if (ends) request->body().TakeEnd();
      break;
    case NGHTTP2_DATA:
      if (ends && request != nullptr) request->body().TakeEnd();
      if (!ends && frame.hd.length == frame.data.padlen) {
        Count(idle_frames_, "too many empty frames");
      }
      break;
    case NGHTTP2_RST_STREAM:
      Count(resets_, "too many resets");
      break;
    default:
      break;
  }
  return 0;
}

void Http2Connection::OnInvalidFrame(const nghttp2_frame& frame) {
  // Its header block will not be completed.
  if (frame.hd.type == NGHTTP2_HEADERS) head_due_ = kNever;
  Count(resets_, "too many invalid frames");
}

// Also called for frames that nghttp2 ignores.
void Http2Connection::OnBeginFrame(const nghttp2_frame_hd& head) {
  switch (head.type) {
    case NGHTTP2_DATA:  // counted in OnFrame
    case NGHTTP2_HEADERS:
    case NGHTTP2_RST_STREAM:
    case NGHTTP2_CONTINUATION:  // limited by kMaxContinuations
      break;
    case NGHTTP2_WINDOW_UPDATE:
      Count(windows_, "too many window updates");
      break;
    default:  // including unknown types
      Count(idle_frames_, "too many frames without data");
  }
}

void Http2Connection::OnFrameSent(const nghttp2_frame& frame) {
  const int32_t id = frame.hd.stream_id;
  if ((frame.hd.flags & NGHTTP2_FLAG_END_STREAM) == 0 ||
      nghttp2_session_get_stream_remote_close(session_, id) != 0) {
    return;
  }
  // The response is complete but the request is not: tell the client to stop
  // (RFC 9113 section 8.1). The directions of a tunnel end independently.
  Http2Request* request = Find(id);
  if (request != nullptr && request->is_tunnel()) return;
  nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id, NGHTTP2_NO_ERROR);
}

void Http2Connection::OnClose(int32_t id, uint32_t error) {
  Http2Request* request = Find(id);
  if (request == nullptr) return;
  if (!request->started()) {
    std::erase_if(started_, [&](const Start& start) { return start.id == id; });
    return Erase(id);
  }
  request->body().TakeClose();
  if (error != NGHTTP2_NO_ERROR || !request->body().ended()) {
    cancelled_.push_back(id);
  }
}

}  // namespace carme::proxy
