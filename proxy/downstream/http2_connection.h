// A browser's connection that speaks HTTP/2: many requests at once, each judged
// by itself and then answered here or passed on.
//
// The framing, HPACK and the windows are nghttp2's. What a client may cost is
// bounded here: requests at once, bytes of a head, unread bytes, resets and
// frames that ask for work and carry none, what waits to be sent. Who exceeds
// it is told ENHANCE_YOUR_CALM and closed.
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

// Thread rule: its worker's loop. Lives in the coroutine that runs Serve.
class Http2Connection final : private net::Http2Carrier {
 public:
  Http2Connection(LoopState& state, net::TlsStream& stream,
                  RequestRouter& router);
  ~Http2Connection();

  // From the handshake's end until nothing runs here any more.
  net::Task<void> Serve();

  // Calls `visit` for each Forwarder that runs. It may abort it.
  template <typename Visit>
  void ForEachForwarder(Visit visit) {
    for (auto& [id, request] : requests_) {
      if (request->forwarder() != nullptr) visit(*request->forwarder());
    }
  }
  // No new request; ends when those that run have their answers.
  void Drain();

 private:
  static constexpr int64_t kNever = INT64_MAX;

  // What nghttp2 tells (http2_callbacks.cc). Nothing resumes there.
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
  // Ends the connection: the client does too much.
  void CloseForAbuse(const char* error);

  void Consumed(int32_t id, size_t bytes) override;
  void SendFor(int32_t id) override;
  void WakeSoon(net::Http2Stream* stream) override;
  void Forget(net::Http2Stream* stream) override;

  bool Open();
  void Receive(std::string_view bytes);
  // Does what the callbacks have noted.
  void ProcessEvents();
  void ScheduleProcessEvents();
  net::Task<void> ProcessEventsSoon();
  net::Task<void> RunRequest(Http2Request& request, bool body_follows);
  // Sends what there is, unless someone does.
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
  std::deque<int32_t> gone_;  // their clients want no answer any more
  std::deque<net::Http2Stream*> woken_;
  std::string out_;
  net::FrameBudget resets_;
  net::FrameBudget idle_frames_;
  net::FrameBudget windows_;  // opened; what we send earns some
  // Deadlines by the loop's clock.
  int64_t head_due_ = kNever, send_due_ = kNever, idle_due_ = kNever;
  bool receiving_ = false;
  bool sending_ = false;
  bool processing_scheduled_ = false;
  bool draining_ = false;
  bool over_ = false;  // nothing is read any more
  std::optional<net::Latch> ended_;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_DOWNSTREAM_HTTP2_CONNECTION_H_
