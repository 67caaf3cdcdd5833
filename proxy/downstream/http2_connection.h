// A browser's HTTP/2 connection: concurrent requests, each routed by itself.
//
// nghttp2 does framing, HPACK and flow control. This class limits what a client
// may cost: concurrent requests, bytes of a head, unread bytes, resets, frames
// without data, queued frames. A client that exceeds a limit gets
// ENHANCE_YOUR_CALM, and the connection is closed.
#ifndef CARME_PROXY_DOWNSTREAM_HTTP2_CONNECTION_H_
#define CARME_PROXY_DOWNSTREAM_HTTP2_CONNECTION_H_

#include <nghttp2/nghttp2.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/container/flat_hash_map.h"
#include "common/net/event_loop.h"
#include "common/net/frame_budget.h"
#include "common/net/http2/http2_stream.h"
#include "common/net/task.h"
#include "common/net/tls/tls_stream.h"
#include "proxy/downstream/http2_request.h"
#include "proxy/routing/request_router.h"
#include "proxy/state/loop_state.h"

namespace carme::proxy {

// Not thread-safe: used on the loop's thread. Lives in the coroutine that runs
// Serve().
class Http2Connection final : private net::Http2Carrier {
 public:
  Http2Connection(LoopState& state, net::TlsStream& stream,
                  RequestRouter& router);
  ~Http2Connection();

  // From the end of the TLS handshake until nothing runs here.
  net::Task<void> Serve();

  // Calls `visit` for each running Forwarder, which it may abort.
  template <typename Visit>
  void ForEachForwarder(Visit visit) {
    for (auto& [id, request] : requests_) {
      if (request->forwarder() != nullptr) visit(*request->forwarder());
    }
  }
  // Accepts no new requests. The connection ends after the open ones.
  void Drain();

 private:
  static constexpr int64_t kNever = INT64_MAX;

  // Callbacks of nghttp2. They never resume a coroutine.
  struct Callbacks;
  void OnBeginFrame(const nghttp2_frame_hd& head);
  int OnBeginHeaders(const nghttp2_frame& frame);
  int OnHeader(const nghttp2_frame& frame, std::string_view name,
               std::string_view value);
  int OnFrame(const nghttp2_frame& frame);
  void OnInvalidFrame(const nghttp2_frame& frame);
  void OnFrameSent(const nghttp2_frame& frame);
  void OnClose(int32_t id, uint32_t error);
  void Count(net::FrameBudget& budget, const char* what);
  // Closes a connection that exceeds a limit.
  void CloseForAbuse(const char* error);

  void Consumed(int32_t id, size_t bytes) override;
  void SendFor(int32_t id) override;
  void WakeSoon(net::Http2Stream* stream) override;
  void RemoveStream(net::Http2Stream* stream) override;

  bool Open();
  void Receive(std::string_view bytes);
  // Handles the events that the callbacks recorded.
  void ProcessEvents();
  void ScheduleProcessEvents();
  net::Task<void> ProcessEventsSoon();
  net::Task<void> RunRequest(Http2Request& request, bool body_follows);
  // Sends pending frames unless a write is running.
  void Send();
  net::Task<void> SendAll();
  void SetDeadline();
  void CheckEnd();
  Http2Request* Find(int32_t id);
  void Erase(int32_t id);
  int64_t In(absl::Duration delay) const;

  struct Start {
    int32_t id;
    bool body_follows;
  };

  LoopState& state_;
  net::TlsStream& stream_;
  RequestRouter& router_;
  nghttp2_session* session_ = nullptr;
  absl::flat_hash_map<int32_t, std::unique_ptr<Http2Request>> requests_;
  std::deque<Start> started_;
  std::deque<int32_t> cancelled_;  // clients cancelled these streams
  std::deque<net::Http2Stream*> woken_;
  std::string out_;
  net::FrameBudget resets_;
  net::FrameBudget idle_frames_;
  net::FrameBudget windows_;  // window updates; sent frames allow more
  // Deadlines by the loop's clock.
  int64_t head_due_ = kNever, send_due_ = kNever, idle_due_ = kNever;
  bool receiving_ = false;
  bool sending_ = false;
  bool processing_scheduled_ = false;
  bool draining_ = false;
  bool closing_ = false;  // nothing more is read
  std::optional<net::Latch> ended_;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_DOWNSTREAM_HTTP2_CONNECTION_H_
