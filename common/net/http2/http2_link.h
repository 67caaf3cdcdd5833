// Multiplexes byte streams over one TLS connection with HTTP/2.
//
//   one side opens ── CONNECT (RFC 9113, section 8.5) ──► the other accepts
//
// A stream behaves like a connection: bytes in both directions, each direction
// ends separately, and either side can reset it. The side that opens a stream
// may write before the response arrives. nghttp2 does framing and windows; the
// bytes are not inspected.
//
// 1. A slow reader stops the writer of its own stream, and others only if very
//    many streams are slow: a stream buffers 128 KiB, all streams 32 MiB.
// 2. The peer cannot cause work or memory use at no cost to itself: only one
//    side opens streams, heads are tiny, and frames without content are
//    counted. A connection that exceeds a limit is closed.
// 3. A side that has received nothing for some time sends a ping, and closes
// the
//    connection if it still receives nothing.
//
// Not thread-safe: used on the loop's thread.
#ifndef CARME_COMMON_NET_HTTP2_HTTP2_LINK_H_
#define CARME_COMMON_NET_HTTP2_HTTP2_LINK_H_

#include <nghttp2/nghttp2.h>

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/net/event_loop.h"
#include "common/net/frame_budget.h"
#include "common/net/http2/http2_stream.h"
#include "common/net/stream.h"
#include "common/net/task.h"

namespace carme::net {

struct Http2LinkOptions {
  uint32_t max_streams = 400;  // concurrent
  // After this time without a byte a ping is sent, after three times this time
  // the connection is closed.
  absl::Duration silence = absl::Seconds(30);
  // Called for each stream that the peer opens. Null on the side that opens.
  std::function<void(std::unique_ptr<Stream>)> on_stream = nullptr;
  // The peer accepts no more streams; open ones continue. Not called within a
  // call of this class.
  std::function<void()> on_leave = nullptr;
};

class Http2Link final : public std::enable_shared_from_this<Http2Link>,
                        private Http2Carrier {
 public:
  // `transport`: after its handshake; must live until Serve has returned.
  static std::shared_ptr<Http2Link> Create(EventLoop& loop, Stream& transport,
                                           Http2LinkOptions options);
  ~Http2Link();

  // Serves until the connection ends, and returns why: OK after Drain. Open
  // streams fail. Call it once.
  Task<absl::Status> Serve();

  // Opens a stream, on the side without on_stream. UNAVAILABLE: the connection
  // has ended or drains; RESOURCE_EXHAUSTED: the peer's limit of streams.
  absl::StatusOr<std::unique_ptr<Stream>> Open();
  // Refuses new streams, notifies the peer, and ends after the last stream.
  void Drain();
  // Ends the connection now.
  void Cut(int error = ECONNABORTED);

  size_t streams() const { return streams_.size(); }

 private:
  struct Callbacks;  // of nghttp2; they do not resume coroutines
  Http2Link(EventLoop& loop, Stream& transport, Http2LinkOptions options);

  bool accepts() const { return options_.on_stream != nullptr; }
  bool Begin();
  int32_t Connect();  // the id of the new stream, or an error of nghttp2
  int OnHeader(const nghttp2_frame& frame, std::string_view name,
               std::string_view value);
  int OnFrame(const nghttp2_frame& frame);
  void OnHead(const nghttp2_frame& frame);
  void OnBeginFrame(const nghttp2_frame_hd& head);
  void OnClose(int32_t id);
  void Count(const char* what);
  void Break(const char* why);

  void Consumed(int32_t id, size_t bytes) override;
  void SendFor(int32_t id) override;
  void WakeSoon(Http2Stream* stream) override;
  void RemoveStream(Http2Stream* stream) override;

  std::unique_ptr<Http2Stream> NewStream(int32_t id);
  Http2Stream* Find(int32_t id);
  void Receive(std::string_view bytes);
  // Processes what the callbacks queued: new streams, wake-ups, and the end.
  void ProcessPending();
  // Schedules ProcessPending() and Send() as a coroutine of the loop.
  void ProcessLater();
  Task<void> ProcessSoon();
  void Send();
  Task<void> SendAll();
  bool Finished() const { return draining_ && streams_.empty() && !sending_; }
  void CheckEnd();

  EventLoop& loop_;
  Stream& transport_;  // not after Serve
  const Http2LinkOptions options_;
  nghttp2_session* session_ = nullptr;
  absl::flat_hash_map<int32_t, Http2Stream*> streams_;
  std::deque<std::unique_ptr<Http2Stream>> arrived_;
  std::deque<Http2Stream*> woken_;
  FrameBudget idle_frames_;
  size_t head_bytes_ = 0;  // of the head that is being received
  bool good_head_ = false;
  std::string out_;
  const char* why_ = nullptr;
  bool left_ = false;  // on_leave must be called
  bool receiving_ = false;
  bool sending_ = false;
  bool processing_scheduled_ = false;
  bool draining_ = false;
  bool over_ = false;  // no more bytes are read
  bool gone_ = false;  // Serve has returned
  std::optional<Latch> ended_;
};

}  // namespace carme::net

#endif  // CARME_COMMON_NET_HTTP2_HTTP2_LINK_H_
