// One request passed on, and its answer passed back.
#ifndef CARME_PROXY_ROUTING_FORWARDER_H_
#define CARME_PROXY_ROUTING_FORWARDER_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "common/net/address.h"
#include "common/net/stream.h"
#include "common/net/task.h"
#include "proxy/http/head_writer.h"
#include "proxy/http/http1_body.h"
#include "proxy/limits/portal_limiter.h"
#include "proxy/local_reply/local_reply.h"
#include "proxy/local_reply/reply_reason.h"
#include "proxy/routing/downstream_codec.h"
#include "proxy/routing/request_body.h"
#include "proxy/routing/response_buffer.h"
#include "proxy/state/loop_state.h"
#include "proxy/telemetry/request_log.h"

namespace carme::proxy {

// A request after it was judged.
struct ForwardRequest {
  UpstreamKind upstream_kind = UpstreamKind::kPortal;
  AccessGrantPtr access;              // of kJob
  std::optional<net::Address> agent;  // of kJob
  std::string head;                   // for the next hop
  BodyFraming body;
  bool to_head = false;
  bool websocket = false;
  bool expects_continue = false;
  bool keep_alive = true;
  bool may_repeat = false;  // a safe method without a body
  bool page = false;        // a person sees the answer
  bool changes = false;     // by its method: a person did something
  bool api = false;         // of the portal's API
  PortalSlot slot{};        // of kPortal
  std::string request_id;
  RequestRecord record{};
  // At a site of paths: "/<label>", below which the app is kept.
  std::string prefix{};
  // What the app must answer to a websocket handshake that is our own, because
  // the client made none; empty: the client sees to it.
  std::string websocket_accept{};
};

// Lives on the stack of a coroutine of its connection.
//
// 1. The client is answered, or its connection ends: nothing is left open.
// 2. One thing is done again, once: a connection that could not be opened,
// unless
//    it took too long, for nothing was sent; and where a pooled one died before
//    the answer's first byte, a request that may be repeated.
// 3. A client that goes away ends it, whatever it waits for. One that only says
//    that it has no more to say still gets its answer.
// 4. Requests to the portal are read completely before the frontend is asked,
//    and its responses are buffered (ResponseBuffer). The frontend computes a
//    response whether its client is still there or not, so the seat is kept
//    until the response has been read.
class Forwarder final : private net::Stream::EndWatcher {
 public:
  // What belongs to the next request is in side.held() afterwards.
  Forwarder(LoopState& state, DownstreamCodec& codec, ForwardRequest request);
  ~Forwarder();

  // Whether the client's connection may be used for another request.
  net::Task<bool> Run();

  // Ends it at once, without an answer. Any time, on the loop.
  void Abort();
  // When the grant ends by which it runs; never for the portal.
  absl::Time expires() const {
    return request_.access == nullptr ? absl::InfiniteFuture()
                                      : request_.access->expires;
  }
  // Whether `routes` still admit it.
  bool Admitted(const RouteTable& routes, absl::Time now) const;
  // Whether `agents` still trusts the agent it goes to.
  bool Trusted(const net::TlsContext& agents) const {
    return upstream_ == nullptr || IsTrusted(*upstream_, agents);
  }
  bool is_websocket() const { return relaying_; }

 private:
  // For the frontend to compute a response whose client has gone. Longer than
  // the deadline of its calls to the backend (20 s).
  static constexpr absl::Duration kUnreadResponseTimeout = absl::Seconds(30);

  enum class Head { kGood, kGone, kBroken, kSlow };

  void OnUnreadEnd() override;

  const net::Address& NextHop() const;
  // Into upstream_: one at rest; false: there is none.
  bool TakePooled();
  net::Task<absl::Status> Open(bool fresh);
  net::Task<Head> SendAndReadHead();
  net::Task<Head> ReadHead();
  net::Task<bool> ForwardResponse();
  // Writes worker_.out(), which holds the head, and the body. False: either
  // side broke off. `clean`: the upstream sent nothing beyond.
  net::Task<bool> ForwardBody(BodyFraming framing, bool* clean);
  net::Task<bool> RelayWebsocket();
  // Of the portal (exchange_portal.cc). The first returns false when it has
  // answered, or the client has gone: the connection must end.
  net::Task<bool> ReadPortalRequest();
  net::Task<bool> ForwardPortalResponse(BodyFraming framing, bool reusable,
                                        bool close);
  net::Task<bool> WriteBuffered(bool chunks, std::string head);
  void AddOwnFields();
  void CountReceived(uint64_t bytes);
  void CountSent(uint64_t bytes);
  // Appends the app's head for the client to worker_.out().
  void AppendHead(const BodyFraming& framing, bool close);
  // What the next hop's failure means to the client.
  ReplyDetails ReplyDetailsFor(UpstreamFailure failure) const;
  const JobStatus* CurrentJobStatus() const;
  // No coroutines: they have a situation to give away.
  net::Task<bool> ReplyFailure(UpstreamFailure failure);
  net::Task<bool> Reply(ReplyReason reply_reason);
  net::Task<bool> SendLocalReply(ReplyDetails details);
  // Answers a request that is malformed or late; ends the connection.
  net::Task<bool> Refuse(int status, const char* error);
  // Waits for the request's body to be out of the way.
  net::Task<bool> EndRequest(bool good);

  LoopState& state_;
  DownstreamCodec& codec_;
  net::Stream& client_;
  ForwardRequest request_;
  UpstreamPtr upstream_;
  std::optional<RequestBody> body_;
  // Bytes of the answer that are read and not used yet: in upstream_->held or
  // in the loop's scratch.
  char* input_ = nullptr;
  size_t input_size_ = 0;
  size_t head_bytes_ = 0;
  ActivityMeter::Scope activity_;  // of the job
  bool aborted_ = false;
  bool page_in_time_ = false;  // who waits for a slow start gets a page
  bool relaying_ = false;
  // Of the portal.
  std::optional<ResponseBuffer> response_;
  BudgetCharge body_charge_;
  bool asked_ = false;      // the frontend has the whole request
  bool is_stream_ = false;  // the response takes as long as its client
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_ROUTING_FORWARDER_H_
