// Decides for each request whether it is forwarded, and where to, or answered
// by the proxy itself. Never waits.
#ifndef CARME_PROXY_ROUTING_REQUEST_ROUTER_H_
#define CARME_PROXY_ROUTING_REQUEST_ROUTER_H_

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "common/http1/head.h"
#include "proxy/access/access_grant.h"
#include "proxy/limits/connection_limiter.h"
#include "proxy/local_reply/reply_reason.h"
#include "proxy/routing/forwarder.h"
#include "proxy/routing/ticket_redemption.h"
#include "proxy/state/loop_state.h"

namespace carme::proxy {

// The proxy's own response, which is in LoopState::out().
struct LocalReply {
  RequestRecord record;  // written to the log when it is destroyed
};

// TicketRedemption: the caller awaits AnswerTicket(), then writes
// LoopState::out().
using RouteResult = std::variant<LocalReply, ForwardRequest, TicketRedemption>;

// One per connection, for all its requests. Not thread-safe: used on the loop's
// thread.
class RequestRouter {
 public:
  RequestRouter(LoopState& state, std::string client_address);
  RequestRouter(const RequestRouter&) = delete;
  RequestRouter& operator=(const RequestRouter&) = delete;

  // The name in the TLS handshake; may be empty.
  void set_server_name(std::string name) { server_name_ = std::move(name); }
  // Address of the connection's peer, which may be a load balancer.
  const std::string& client_address() const { return client_address_; }
  // The HTTP version for the log; "1.1" unless it is set.
  void set_protocol(std::string_view protocol) { protocol_ = protocol; }

  // LoopState::out() must be empty. `closing`: a local reply is the last
  // response on the connection.
  RouteResult Route(const RequestHead& head, const std::string& request_id,
                    bool closing);

 private:
  // These return true when `request` is complete and must be forwarded. False:
  // a local reply was written.
  bool RouteToHost(const RequestHead& head, ForwardRequest* request);
  bool RoutePortal(const RequestHead& head, ForwardRequest* request);
  bool RouteJob(const RequestHead& head, const JobHost& host,
                ForwardRequest* request);

  // These write a local reply and return false. RedeemTicket() may set
  // redemption_ instead.
  bool RedeemTicket(const RequestHead& head, const JobHost& host,
                    std::string_view ticket);
  bool ReplyAppStatus(const RequestHead& head, const JobHost& host);
  bool ReplyOverlayScript();
  bool Reply(const RequestHead& head, ReplyReason reason) {
    return Reply(head, ReplyDetails{reason});
  }
  bool Reply(const RequestHead& head, const ReplyDetails& details);

  // Sets host_ and origin_. Returns kUnknown for a host other than the one in
  // the TLS handshake, too.
  HostKind FindHost(const RequestHead& head);
  // Null: `denied_` has the reason.
  AccessGrantPtr Authorize(const RequestHead& head, const JobHost& host);
  // Reads the client's address and checks the body's size. False: a local reply
  // was written.
  bool CheckRequest(const RequestHead& head);
  bool CheckLoginRate(const RequestHead& head);
  // Continues the client's trace, or begins one.
  void SetTrace(const RequestHead& head);
  // The key by which the portal's limits count the client. Empty: a load
  // balancer that does not name its clients.
  const std::string& PortalClientKey();
  // Counts this connection for the session. False: the session has too many.
  bool AcquireSessionSlot(const AccessGrant& access);
  void LogRequest(const RequestHead& head, const char* outcome) const;

  LoopState& state_;
  const std::string client_address_;
  const bool behind_balancer_;  // whose Forwarded field is trusted
  std::string_view protocol_ = "1.1";
  std::string server_name_;
  ConnectionSlot session_slot_;  // the session that this connection counts for

  // Of the current request.
  std::string client_;  // its address
  std::string request_id_;
  std::string traceparent_;  // for the upstream; its parent id is request_id_
  std::string trace_id_;
  bool continues_trace_ = false;  // of the client
  RequestRecord* record_ = nullptr;
  bool closing_ = false;
  std::optional<TicketRedemption> redemption_;
  ReplyReason denied_ = ReplyReason::kOpenFromPortal;

  // client_key_ is the key of keyed_client_, for the next PortalClientKey().
  std::string keyed_client_, client_key_;
  // The last Host field, because most requests repeat it. Empty: host_ must be
  // computed again. origin_ belongs to kJob.
  std::string last_host_;
  HostMatch host_;
  std::string origin_;
  // The last cookie that was opened, because most requests repeat it.
  std::string cached_cookie_;
  AccessGrantPtr cached_access_;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_ROUTING_REQUEST_ROUTER_H_
