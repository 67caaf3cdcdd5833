#include "common/net/http2/http2_link.h"

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <utility>

#include "common/status.h"

namespace carme::net {
namespace {

constexpr size_t kMaxGathered = 32 * 1024;  // for one write
// Queued frames for a peer that does not read.
constexpr size_t kMaxQueued = 4000;
constexpr absl::Duration kFarewellTime = absl::Seconds(1);
constexpr int kMaxSilences = 3;
constexpr int64_t kMaxIdleFrames = 1000, kIdleFramesPerSecond = 100;
constexpr int kTurnsBetweenYields = 16;

}  // namespace

Http2Link::Http2Link(EventLoop& loop, Stream& transport,
                     Http2LinkOptions options)
    : loop_(loop),
      transport_(transport),
      options_(std::move(options)),
      idle_frames_(kMaxIdleFrames, kIdleFramesPerSecond) {}

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
    if (error == ETIMEDOUT && ++silences < kMaxSilences) {
      nghttp2_submit_ping(session_, NGHTTP2_FLAG_NONE, nullptr);
      Send();
      continue;
    }
    if (error != 0 || got.bytes == 0) break;
    silences = 0;
    Receive({loop_.scratch(), got.bytes});
    ProcessPending();
    Send();
    if (turn % kTurnsBetweenYields == 0) co_await loop_.Yield();
  }
  over_ = true;
  for (const auto& [id, stream] : streams_) stream->TakeClose();
  arrived_.clear();
  if (session_ != nullptr && why_ == nullptr) {
    nghttp2_session_terminate_session(session_, NGHTTP2_NO_ERROR);
  }
  ProcessPending();
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
  if (!ended_ || sending_ || processing_scheduled_) return;
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
  if (streams_.size() >= std::min(theirs, options_.max_streams)) {
    return absl::ResourceExhaustedError("too many streams on the link");
  }
  const int32_t id = Connect();
  // All stream ids are used, after a billion streams.
  if (id < 0) {
    Drain();
    return absl::UnavailableError(nghttp2_strerror(id));
  }
  std::unique_ptr<Http2Stream> stream = NewStream(id);
  const absl::Status started = stream->Start();
  if (!started.ok()) return started;
  // The head is sent together with the first bytes.
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
  if (nghttp2_session_get_outbound_queue_size(session_) > kMaxQueued) {
    Break("it does not read");
  }
}

void Http2Link::ProcessPending() {
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

void Http2Link::ProcessLater() {
  if (processing_scheduled_ || gone_) return;
  processing_scheduled_ = true;
  loop_.Spawn(ProcessSoon());
}

Task<void> Http2Link::ProcessSoon() {
  const std::shared_ptr<Http2Link> self = shared_from_this();
  co_await loop_.Yield();
  processing_scheduled_ = false;
  ProcessPending();
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
  // Later: the bytes that were read are not consumed yet, and their buffer is
  // shared.
  if (nghttp2_session_want_write(session_) != 0) ProcessLater();
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

void Http2Link::RemoveStream(Http2Stream* stream) {
  std::erase(woken_, stream);
  streams_.erase(stream->id());
  if (over_) return;
  // Otherwise the peer would wait for more bytes.
  if (!stream->closed()) {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, stream->id(),
                              NGHTTP2_CANCEL);
  }
  ProcessLater();
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
    } while (size > 0 && out_.size() < kMaxGathered);
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
  // The last frame was sent: after an error that nghttp2 found, or because both
  // sides have ended.
  if (!over_ && nghttp2_session_want_read(session_) == 0) {
    over_ = true;
    transport_.ExpireAfter(absl::ZeroDuration());
  }
  if (!woken_.empty() || Finished()) ProcessLater();
  CheckEnd();
}

namespace {

constexpr uint32_t kStreamWindow = 128 * 1024;
constexpr int32_t kLinkWindow = 32 * 1024 * 1024;
constexpr size_t kMaxHeadBytes = 1024;
constexpr size_t kMaxContinuations = 2;
// For resets of streams that the peer opened: the peer is authenticated, and
// browsers that disconnect are no attack.
constexpr uint64_t kResetBurst = 1'000'000, kResetsPerSecond = 100'000;

std::string_view Text(nghttp2_rcbuf* buffer) {
  const nghttp2_vec bytes = nghttp2_rcbuf_get_buf(buffer);
  return {reinterpret_cast<const char*>(bytes.base), bytes.len};
}

nghttp2_nv Pair(std::string_view name, std::string_view value) {
  const auto bytes = [](std::string_view text) {
    return reinterpret_cast<uint8_t*>(const_cast<char*>(text.data()));
  };
  return {bytes(name), bytes(value), name.size(), value.size(),
          NGHTTP2_NV_FLAG_NONE};
}

}  // namespace

struct Http2Link::Callbacks {
  static Http2Link& Of(void* user) { return *static_cast<Http2Link*>(user); }

  static int BeginFrame(nghttp2_session*, const nghttp2_frame_hd* head,
                        void* user) {
    Of(user).OnBeginFrame(*head);
    return 0;
  }
  static int BeginHeaders(nghttp2_session*, const nghttp2_frame*, void* user) {
    Of(user).head_bytes_ = 0;
    Of(user).good_head_ = false;
    return 0;
  }
  static int Header(nghttp2_session*, const nghttp2_frame* frame,
                    nghttp2_rcbuf* name, nghttp2_rcbuf* value, uint8_t,
                    void* user) {
    return Of(user).OnHeader(*frame, Text(name), Text(value));
  }
  static int Data(nghttp2_session* session, uint8_t, int32_t id,
                  const uint8_t* bytes, size_t size, void* user) {
    Http2Stream* stream = Of(user).Find(id);
    if (stream == nullptr) {
      nghttp2_session_consume(session, id, size);
    } else {
      stream->TakeData({reinterpret_cast<const char*>(bytes), size});
    }
    return 0;
  }
  static int Frame(nghttp2_session*, const nghttp2_frame* frame, void* user) {
    return Of(user).OnFrame(*frame);
  }
  static int InvalidFrame(nghttp2_session*, const nghttp2_frame*, int,
                          void* user) {
    Of(user).Count("mistakes");
    return 0;
  }
  static int Close(nghttp2_session*, int32_t id, uint32_t, void* user) {
    Of(user).OnClose(id);
    return 0;
  }
  static ssize_t Give(nghttp2_session*, int32_t id, uint8_t* to, size_t size,
                      uint32_t* flags, nghttp2_data_source*, void* user) {
    Http2Stream* stream = Of(user).Find(id);
    // Its reset is queued.
    if (stream == nullptr) return NGHTTP2_ERR_DEFERRED;
    bool end = false;
    const size_t given = stream->Give(to, size, &end);
    if (end) *flags |= NGHTTP2_DATA_FLAG_EOF;
    if (given == 0 && !end) return NGHTTP2_ERR_DEFERRED;
    return static_cast<ssize_t>(given);
  }

  static nghttp2_data_provider Provider() {
    nghttp2_data_provider data{};
    data.read_callback = Give;
    return data;
  }

  static nghttp2_session_callbacks* Table() {
    static nghttp2_session_callbacks* const table = [] {
      nghttp2_session_callbacks* made = nullptr;
      nghttp2_session_callbacks_new(&made);
      nghttp2_session_callbacks_set_on_begin_frame_callback(made, BeginFrame);
      nghttp2_session_callbacks_set_on_begin_headers_callback(made,
                                                              BeginHeaders);
      nghttp2_session_callbacks_set_on_header_callback2(made, Header);
      nghttp2_session_callbacks_set_on_data_chunk_recv_callback(made, Data);
      nghttp2_session_callbacks_set_on_frame_recv_callback(made, Frame);
      nghttp2_session_callbacks_set_on_invalid_frame_recv_callback(
          made, InvalidFrame);
      nghttp2_session_callbacks_set_on_stream_close_callback(made, Close);
      return made;
    }();
    return table;
  }
};

bool Http2Link::Begin() {
  nghttp2_option* option = nullptr;
  if (nghttp2_option_new(&option) != 0) return false;
  // Windows are extended when readers consume the bytes.
  nghttp2_option_set_no_auto_window_update(option, 1);
  nghttp2_option_set_no_closed_streams(option, 1);
  nghttp2_option_set_max_continuations(option, kMaxContinuations);
  nghttp2_option_set_stream_reset_rate_limit(option, kResetBurst,
                                             kResetsPerSecond);
  const int made = accepts() ? nghttp2_session_server_new2(
                                   &session_, Callbacks::Table(), this, option)
                             : nghttp2_session_client_new2(
                                   &session_, Callbacks::Table(), this, option);
  nghttp2_option_del(option);
  if (made != 0) return false;
  const nghttp2_settings_entry settings[] = {
      // Only one side opens streams.
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS,
       accepts() ? options_.max_streams : 0},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindow},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, kMaxHeadBytes},
      {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1},
      {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
  };
  // A server does not send ENABLE_PUSH.
  const size_t count = std::size(settings) - (accepts() ? 1 : 0);
  return nghttp2_submit_settings(session_, NGHTTP2_FLAG_NONE, settings,
                                 count) == 0 &&
         nghttp2_session_set_local_window_size(session_, NGHTTP2_FLAG_NONE, 0,
                                               kLinkWindow) == 0;
}

int32_t Http2Link::Connect() {
  const nghttp2_nv head[] = {Pair(":method", "CONNECT"),
                             Pair(":authority", "app")};
  const nghttp2_data_provider data = Callbacks::Provider();
  return nghttp2_submit_request(session_, nullptr, head, std::size(head), &data,
                                nullptr);
}

int Http2Link::OnHeader(const nghttp2_frame&, std::string_view name,
                        std::string_view value) {
  head_bytes_ += name.size() + value.size();
  if (head_bytes_ > kMaxHeadBytes) return NGHTTP2_ERR_CALLBACK_FAILURE;
  if (accepts() ? name == ":method" && value == "CONNECT"
                : name == ":status" && value == "200") {
    good_head_ = true;
  }
  return 0;
}

void Http2Link::OnHead(const nghttp2_frame& frame) {
  const int32_t id = frame.hd.stream_id;
  const bool begins = frame.headers.cat == (accepts() ? NGHTTP2_HCAT_REQUEST
                                                      : NGHTTP2_HCAT_RESPONSE);
  if (!begins) return Count("heads beyond the first");
  if (!good_head_ || over_) {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id,
                              NGHTTP2_REFUSED_STREAM);
    return;
  }
  if (!accepts()) return;
  // nghttp2 no longer counts streams that were reset, but their coroutines may
  // still run.
  if (streams_.size() >= options_.max_streams) {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id,
                              NGHTTP2_REFUSED_STREAM);
    return;
  }
  const nghttp2_nv head[] = {Pair(":status", "200")};
  const nghttp2_data_provider data = Callbacks::Provider();
  nghttp2_submit_response(session_, id, head, std::size(head), &data);
  std::unique_ptr<Http2Stream> stream = NewStream(id);
  // Cannot fail without a descriptor.
  stream->Start().IgnoreError();
  arrived_.push_back(std::move(stream));
}

int Http2Link::OnFrame(const nghttp2_frame& frame) {
  const bool ends = (frame.hd.flags & NGHTTP2_FLAG_END_STREAM) != 0;
  switch (frame.hd.type) {
    case NGHTTP2_HEADERS:
      OnHead(frame);
      break;
    case NGHTTP2_DATA:
      if (!ends && frame.hd.length == frame.data.padlen) Count("empty frames");
      break;
    case NGHTTP2_GOAWAY:
      left_ = true;
      if (!accepts()) Drain();
      return 0;
    default:
      return 0;
  }
  Http2Stream* stream = Find(frame.hd.stream_id);
  if (ends && stream != nullptr) stream->TakeEnd();
  return 0;
}

// Also for frames that are dropped silently.
void Http2Link::OnBeginFrame(const nghttp2_frame_hd& head) {
  const bool ack = (head.flags & NGHTTP2_FLAG_ACK) != 0;
  switch (head.type) {
    case NGHTTP2_DATA:
    case NGHTTP2_HEADERS:
    case NGHTTP2_RST_STREAM:
    case NGHTTP2_WINDOW_UPDATE:
    case NGHTTP2_CONTINUATION:
      return;
    default:
      if (!ack) Count("frames that carry nothing");
  }
}

void Http2Link::OnClose(int32_t id) {
  if (Http2Stream* stream = Find(id)) stream->TakeClose();
}

}  // namespace carme::net
