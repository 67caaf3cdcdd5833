// What nghttp2 tells an Http2Link, and is told at its beginning. Nothing here
// resumes a coroutine or sends: it is noted, and Settle does it.
#include <iterator>
#include <utility>

#include "common/net/http2_link.h"

namespace carme::net {
namespace {

constexpr uint32_t kStreamWindow = 128 * 1024;
constexpr int32_t kLinkWindow = 32 * 1024 * 1024;
constexpr size_t kMostHeadBytes = 1024;
constexpr size_t kMostContinuations = 2;
// Of streams that the other side opened and gives up: whoever accepts has
// verified who opens, and a browser that leaves is no attack.
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
    // Its reset is on the way.
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
  // Windows open again as readers take what was sent.
  nghttp2_option_set_no_auto_window_update(option, 1);
  nghttp2_option_set_no_closed_streams(option, 1);
  nghttp2_option_set_max_continuations(option, kMostContinuations);
  nghttp2_option_set_stream_reset_rate_limit(option, kResetBurst,
                                             kResetsPerSecond);
  const int made = accepts() ? nghttp2_session_server_new2(
                                   &session_, Callbacks::Table(), this, option)
                             : nghttp2_session_client_new2(
                                   &session_, Callbacks::Table(), this, option);
  nghttp2_option_del(option);
  if (made != 0) return false;
  const nghttp2_settings_entry settings[] = {
      // The other side opens none where this one does.
      {NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS,
       accepts() ? options_.most_streams : 0},
      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, kStreamWindow},
      {NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, kMostHeadBytes},
      {NGHTTP2_SETTINGS_NO_RFC7540_PRIORITIES, 1},
      {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
  };
  // A server says nothing about pushing.
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
  if (head_bytes_ > kMostHeadBytes) return NGHTTP2_ERR_CALLBACK_FAILURE;
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
  // nghttp2 counts streams; whoever runs on one that was reset still does.
  if (streams_.size() >= options_.most_streams) {
    nghttp2_submit_rst_stream(session_, NGHTTP2_FLAG_NONE, id,
                              NGHTTP2_REFUSED_STREAM);
    return;
  }
  const nghttp2_nv head[] = {Pair(":status", "200")};
  const nghttp2_data_provider data = Callbacks::Provider();
  nghttp2_submit_response(session_, id, head, std::size(head), &data);
  std::unique_ptr<Http2Stream> stream = NewStream(id);
  // Adding what has no descriptor cannot fail.
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

// Of those that are dropped without a word, too.
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
