// Forwards one request to its upstream and the response to the client.
#ifndef CARME_PROXY_ROUTING_FORWARDER_H_
#define CARME_PROXY_ROUTING_FORWARDER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/http1/body.h"
#include "common/net/address.h"
#include "common/net/stream.h"
#include "common/net/task.h"
#include "proxy/http/head_writer.h"
#include "proxy/limits/portal_limiter.h"
#include "proxy/local_reply/local_reply.h"
#include "proxy/local_reply/reply_reason.h"
#include "proxy/routing/downstream_codec.h"
#include "proxy/routing/request_body.h"
#include "proxy/routing/response_buffer.h"
#include "proxy/state/loop_state.h"
#include "proxy/telemetry/request_log.h"

namespace carme::proxy {

// A request that the router accepted.
struct ForwardRequest {
  UpstreamKind upstream_kind = UpstreamKind::kPortal;
  AccessGrantPtr access;              // of kJob
  std::optional<net::Address> agent;  // of kJob
  std::string head;                   // for the upstream
  BodyFraming body;
  bool to_head = false;
  bool websocket = false;
  bool expects_continue = false;
  bool keep_alive = true;
  bool may_repeat = false;  // a safe method without a body
  bool page = false;        // a user sees the response as a page
  bool api = false;         // of the portal's API
  bool overlay = false;     // the overlay is added to an app's document
  PortalSlot slot{};        // of kPortal
  std::string request_id;
  RequestRecord record{};
  // With path-based routing: "/<label>", the prefix of the app.
  std::string prefix{};
  // The Sec-WebSocket-Accept that the app must send, when the proxy made the
  // websocket handshake. Empty: the client verifies it.
  std::string websocket_accept{};
};

// Lives on the stack of a coroutine of its connection.
//
// 1. The client gets a response, or its connection ends.
// 2. Two things are retried, once: a connection that failed to open without a
//    timeout, because nothing was sent yet; and a repeatable request on a
//    pooled connection that closed before the first byte of the response.
// 3. A client that disconnects aborts the request. A client that only closes
//    its sending side still gets the response.
// 4. Requests to the portal are read completely before the frontend gets them,
//    and responses are buffered (ResponseBuffer). The frontend computes a
//    response even if its client has disconnected, so the slot is held until
//    the response has been read.
class Forwarder final : private net::Stream::EndWatcher {
 public:
  // codec.held() has the bytes of the next request afterwards.
  Forwarder(LoopState& state, DownstreamCodec& codec, ForwardRequest request);
  ~Forwarder();

  // Returns whether the client's connection may be used for another request.
  net::Task<bool> Run();

  // Ends it at once without a response. May be called at any time on the loop.
  void Abort();
  // When the grant expires; never for the portal.
  absl::Time expires() const {
    return request_.access == nullptr ? absl::InfiniteFuture()
                                      : request_.access->expires;
  }
  // Whether `routes` still allows it.
  bool Admitted(const RouteTable& routes, absl::Time now) const;
  // Whether `agents` still trusts the agent.
  bool Trusted(const net::TlsContext& agents) const {
    return upstream_ == nullptr || IsTrusted(*upstream_, agents);
  }
  bool is_websocket() const { return relaying_; }

 private:
  // For the frontend to compute a response whose client has disconnected.
  // Longer than the deadline of its calls to the backend (20 s).
  static constexpr absl::Duration kUnreadResponseTimeout = absl::Seconds(30);

  enum class Head { kGood, kGone, kBroken, kSlow };

  void OnUnreadEnd() override;

  const net::Address& NextHop() const;
  // Sets upstream_ to an idle connection to the agent. False: there is none.
  bool TakePooled();
  net::Task<absl::Status> Open(bool fresh);
  net::Task<Head> SendAndReadHead();
  net::Task<Head> ReadHead();
  net::Task<bool> ForwardResponse();
  // Sets added_ and counts it into the head's length.
  void AddOverlay(const BodyFraming& framing);
  // Writes the head in state_.out(), the body, and added_. False: the upstream
  // or the client failed. `clean`: the upstream sent no bytes after the body.
  net::Task<bool> ForwardBody(BodyFraming framing, bool* clean);
  void AppendAdded(bool chunks);
  net::Task<bool> RelayWebsocket();
  // For the portal. False: a response was sent or the client has disconnected,
  // and the connection must end.
  net::Task<bool> ReadPortalRequest();
  net::Task<bool> ForwardPortalResponse(BodyFraming framing, bool close);
  net::Task<bool> WriteBuffered(bool chunks, std::string head);
  void AddOwnFields();
  void CountReceived(uint64_t bytes);
  void CountSent(uint64_t bytes);
  // Appends the response's head to state_.out().
  void AppendHead(const BodyFraming& framing, bool close);
  // What an upstream failure means to the client.
  ReplyDetails ReplyDetailsFor(UpstreamFailure failure) const;
  const JobStatusEntry* CurrentJobStatus() const;
  // Not coroutines, so that they may move their argument.
  net::Task<bool> ReplyFailure(UpstreamFailure failure);
  net::Task<bool> Reply(ReplyReason reply_reason);
  net::Task<bool> SendLocalReply(ReplyDetails details);
  // Rejects a malformed or late request. The connection ends.
  net::Task<bool> Refuse(int status, const char* error);
  // Waits until the request's body is read or dropped.
  net::Task<bool> EndRequest(bool good);

  LoopState& state_;
  DownstreamCodec& codec_;
  net::Stream& client_;
  ForwardRequest request_;
  UpstreamPtr upstream_;
  std::optional<RequestBody> body_;
  // Bytes of the response that were read but not used: in upstream_->held or in
  // the loop's scratch.
  char* input_ = nullptr;
  size_t input_size_ = 0;
  size_t head_bytes_ = 0;
  std::string added_;  // to the end of the response's body; perhaps empty
  ActivityMeter::Scope activity_;  // activity of the job
  bool aborted_ = false;
  bool page_in_time_ = false;  // a slow start gets an error page
  bool relaying_ = false;
  // For the portal.
  std::optional<ResponseBuffer> response_;
  BudgetCharge body_charge_;
  bool asked_ = false;      // the frontend has the whole request
  bool is_stream_ = false;  // unbounded response
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_ROUTING_FORWARDER_H_
