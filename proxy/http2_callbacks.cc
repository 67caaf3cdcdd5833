// What nghttp2 tells an Http2Connection. Nothing here resumes a coroutine or
// sends: it is noted, and Settle does it.
#include <utility>

#include "proxy/http2_connection.h"

namespace carme::proxy {
namespace {

constexpr uint32_t kStreamWindow = 256 * 1024;
// Of all streams together: what a connection may make us hold.
constexpr int32_t kConnectionWindow = 1024 * 1024;
// Of one head. A page of a job can make a browser send hundreds of KiB of
// cookies (180 of 4 KiB in Chromium); the answer that deletes them must reach it.
constexpr size_t kMostContinuations = 64;
constexpr size_t kMaxCookieBytes = 1024 * 1024;
// Times what a head may have without its cookies: who goes beyond it does not
// mean to be answered.
constexpr size_t kHopelessHeads = 4;

// Null: no memory.
const nghttp2_option* Options() {
  static nghttp2_option* const option = [] {
    nghttp2_option* made = nullptr;
    if (nghttp2_option_new(&made) != 0) return made;
    // Windows open again as the next hop takes what was sent.
    nghttp2_option_set_no_auto_window_update(made, 1);
    nghttp2_option_set_no_closed_streams(made, 1);
    nghttp2_option_set_max_continuations(made, kMostContinuations);
    // Otherwise OnBeginFrame would not hear of them.
    for (int type = NGHTTP2_CONTINUATION + 1; type <= 0xff; ++type) {
      nghttp2_option_set_user_recv_extension_type(made,
                                                  static_cast<uint8_t>(type));
    }
    return made;
  }();
  return option;
}

}  // namespace

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
  // By default nghttp2 would drop the field and go on.
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

  // Frames that nobody knows are only counted.
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
  const HeadLimits& head = worker_.head_limits();
  const auto streams =
      static_cast<uint32_t>(worker_.services().limits.most_streams);
  const nghttp2_settings_entry settings[] = {
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, streams},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindow},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE,
       static_cast<uint32_t>(head.most_bytes)},
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
  head_due_ = In(worker_.services().limits.head_timeout);
  if (frame.headers.cat != NGHTTP2_HCAT_REQUEST) return 0;
  if (over_) return 0;
  const int32_t id = frame.hd.stream_id;
  // nghttp2 counts streams; what a reset stream has begun may still end.
  const auto most = static_cast<size_t>(worker_.services().limits.most_streams);
  if (requests_.size() >= most) {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id,
                              NGHTTP2_REFUSED_STREAM);
    Count(resets_, "requests beyond the limit");
    return 0;
  }
  net::Http2Carrier& carrier = *this;
  auto request =
      std::make_unique<Http2Request>(worker_, decider_, carrier, session_, id);
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
  // A few bytes of HPACK can stand for very many.
  const Http2RequestHead& head = request->head();
  const size_t hopeless = kHopelessHeads * worker_.head_limits().most_bytes;
  if (head.bytes() - head.cookie_bytes() <= hopeless &&
      head.cookie_bytes() <= kMaxCookieBytes) {
    return 0;
  }
  Calm("a head beyond all limits");
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
        Count(idle_frames_, "empty frames");
      }
      break;
    case NGHTTP2_RST_STREAM:
      Count(resets_, "resets");
      break;
    default:
      break;
  }
  return 0;
}

void Http2Connection::OnInvalidFrame(const nghttp2_frame& frame) {
  // Its head will not be whole.
  if (frame.hd.type == NGHTTP2_HEADERS) head_due_ = kNever;
  Count(resets_, "mistakes");
}

// Of those that are dropped without a word, too.
void Http2Connection::OnBeginFrame(const nghttp2_frame_hd& head) {
  switch (head.type) {
    case NGHTTP2_DATA:  // OnFrame counts these
    case NGHTTP2_HEADERS:
    case NGHTTP2_RST_STREAM:
    case NGHTTP2_CONTINUATION:  // kMostContinuations
      break;
    case NGHTTP2_WINDOW_UPDATE:
      Count(windows_, "windows opened for nothing");
      break;
    default:  // and what nobody knows
      Count(idle_frames_, "frames that carry nothing");
  }
}

void Http2Connection::OnFrameSent(const nghttp2_frame& frame) {
  const int32_t id = frame.hd.stream_id;
  if ((frame.hd.flags & NGHTTP2_FLAG_END_STREAM) == 0 ||
      nghttp2_session_get_stream_remote_close(session_, id) != 0) {
    return;
  }
  // The answer is out and the request is not whole: the client may stop (RFC
  // 9113 section 8.1). Both halves of a tunnel end by themselves.
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
    gone_.push_back(id);
  }
}

}  // namespace carme::proxy
