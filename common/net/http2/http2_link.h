// Many streams of bytes over one TLS connection, by HTTP/2.
//
//   one side opens ── CONNECT (RFC 9113, section 8.5) ──► the other accepts
//
// Each stream carries what a connection of its own would: bytes both ways, each
// direction with an end of its own, a reset where either side breaks off. Who
// opens one need not wait for an answer. The framing and the windows are
// nghttp2's; nothing here looks into the bytes.
//
// 1. A slow reader stops the writer of its own stream and, unless very many are
//    slow, of no other: 128 KiB are kept for a stream, 32 MiB for all of them.
// 2. The other side may make it neither work nor remember for nothing: streams
//    come from one side only, heads are tiny, frames that carry nothing are
//    counted. Who does more is closed.
// 3. A side that hears nothing asks, and takes the other for dead when it hears
//    nothing even then.
//
// Thread rule: the loop's thread.
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
  uint32_t max_streams = 400;  // at once
  // Heard nothing for this long: it asks. Three times this long: dead.
  absl::Duration silence = absl::Seconds(30);
  // Of the side that accepts: takes each stream that comes. The side that opens
  // has none.
  std::function<void(std::unique_ptr<Stream>)> on_stream = nullptr;
  // The other side wants no more streams; those that run go on. Not called from
  // within anything of the caller's.
  std::function<void()> on_leave = nullptr;
};

class Http2Link final : public std::enable_shared_from_this<Http2Link>,
                        private Http2Carrier {
 public:
  // `transport`: its handshake is done; lives until Serve has returned.
  static std::shared_ptr<Http2Link> Create(EventLoop& loop, Stream& transport,
                                           Http2LinkOptions options);
  ~Http2Link();

  // Until the connection's end, and why it ended: OK after Drain. Streams that
  // are left fail. Once.
  Task<absl::Status> Serve();

  // A new stream, of the side without on_stream. UNAVAILABLE: it is over or to
  // be; RESOURCE_EXHAUSTED: the other side takes no more at once.
  absl::StatusOr<std::unique_ptr<Stream>> Open();
  // No new streams, and the other side is told so; ends with the last one.
  void Drain();
  // Ends it now.
  void Cut(int error = ECONNABORTED);

  size_t streams() const { return streams_.size(); }

 private:
  struct Callbacks;  // what nghttp2 tells; nothing resumes there
  Http2Link(EventLoop& loop, Stream& transport, Http2LinkOptions options);

  bool accepts() const { return options_.on_stream != nullptr; }
  bool Begin();
  int32_t Connect();  // the new stream's number, or an error of nghttp2's
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
  void Forget(Http2Stream* stream) override;

  std::unique_ptr<Http2Stream> NewStream(int32_t id);
  Http2Stream* Find(int32_t id);
  void Receive(std::string_view bytes);
  // Delivers what the callbacks queued: new streams, wake-ups, and the end.
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
  size_t head_bytes_ = 0;  // of the head that comes
  bool good_head_ = false;
  std::string out_;
  const char* why_ = nullptr;
  bool left_ = false;  // on_leave is to be called
  bool receiving_ = false;
  bool sending_ = false;
  bool processing_scheduled_ = false;
  bool draining_ = false;
  bool over_ = false;  // nothing is read any more
  bool gone_ = false;  // Serve has returned
  std::optional<Latch> ended_;
};

}  // namespace carme::net

#endif  // CARME_COMMON_NET_HTTP2_HTTP2_LINK_H_
