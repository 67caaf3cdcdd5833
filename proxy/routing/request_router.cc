#include "proxy/routing/request_router.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "common/encoding.h"
#include "common/http1/traceparent.h"
#include "common/ids.h"
#include "common/log.h"
#include "proxy/http/cookies.h"
#include "proxy/http/cross_origin.h"
#include "proxy/http/forwarded.h"
#include "proxy/local_reply/api_error.h"
#include "proxy/local_reply/app_overlay.h"
#include "proxy/local_reply/local_reply.h"

namespace carme::proxy {
namespace {

bool IsTrustedBalancer(const SharedState& shared, const std::string& client) {
  if (!shared.load_balancers.forwarded) return false;
  const auto address = net::Address::FromIp(client, 0);
  return address.ok() && shared.balancer_networks.Contains(*address);
}

// Reserved for the proxy on the jobs' hosts.
constexpr std::string_view kReserved = "/.carme/";
constexpr std::string_view kOpenTarget = "/.carme/open?ticket=";

}  // namespace

RequestRouter::RequestRouter(LoopState& state, std::string client_address)
    : state_(state),
      client_address_(std::move(client_address)),
      behind_balancer_(IsTrustedBalancer(state.shared(), client_address_)),
      client_(client_address_) {}

bool RequestRouter::CheckRequest(const RequestHead& head) {
  bool readable = true;
  if (behind_balancer_) {
    client_ = client_address_;
    const absl::StatusOr<std::optional<net::Address>> forwarded =
        ForwardedClient(head, state_.shared().balancer_networks);
    readable = forwarded.ok();
    if (readable && forwarded->has_value()) client_ = (*forwarded)->Ip();
  }
  *record_ = state_.request_log().Begin(head, client_, request_id_, trace_id_,
                                        protocol_);
  if (!readable) {
    return Reply(head, ReplyReason::kBadForwarded);
  }
  const auto max_mib =
      static_cast<uint64_t>(state_.shared().limits.max_body_mib);
  if (head.body.kind == BodyKind::kLength &&
      head.body.length > max_mib * 1024 * 1024) {
    state_.counters().Of(Limit::kBody).Add();
    return Reply(head, ReplyReason::kBodyTooLarge);
  }
  return true;
}

bool RequestRouter::CheckLoginRate(const RequestHead& head) {
  if (head.method != "POST") return true;
  SharedState& shared = state_.shared();
  const std::string_view path = head.target.substr(0, head.target.find('?'));
  if (std::find(shared.login_paths.begin(), shared.login_paths.end(), path) ==
      shared.login_paths.end()) {
    return true;
  }
  const auto address = net::Address::FromIp(client_, 0);
  const std::string key = address.ok() ? ClientKeyOf(*address) : client_;
  if (shared.logins.Allow(key, shared.clock.Now())) return true;
  state_.counters().Of(Limit::kLogins).Add();
  return false;
}

const std::string& RequestRouter::PortalClientKey() {
  if (keyed_client_ == client_) return client_key_;
  keyed_client_ = client_;
  const auto address = net::Address::FromIp(client_, 0);
  const bool unnamed =
      address.ok() && state_.shared().balancer_networks.Contains(*address);
  client_key_ = unnamed ? "" : address.ok() ? ClientKeyOf(*address) : client_;
  return client_key_;
}

bool RequestRouter::AcquireSessionSlot(const AccessGrant& access) {
  const std::string& session = access.session.value();
  if (session_slot_.has_key() && session_slot_.key() == session) return true;
  ConnectionSlot slot = state_.shared().sessions.TryAcquire(session);
  if (!slot.acquired()) {
    state_.counters().Of(Limit::kPerSession).Add();
    return false;
  }
  session_slot_ = std::move(slot);
  return true;
}

void RequestRouter::SetTrace(const RequestHead& head) {
  std::optional<Traceparent> received;
  int fields = 0;
  for (const Field& field : head.fields) {
    if (field.id != FieldId::kTraceparent) continue;
    if (++fields == 1) received = ParseTraceparent(field.value);
  }
  continues_trace_ = received && fields == 1;
  trace_id_ = continues_trace_ ? std::string(received->trace_id)
                               : NewRequestId() + request_id_;
  traceparent_ =
      FormatTraceparent({.trace_id = trace_id_,
                         .parent_id = request_id_,
                         .sampled = continues_trace_ && received->sampled});
}

RouteResult RequestRouter::Route(const RequestHead& head,
                                 const std::string& request_id, bool closing) {
  request_id_ = request_id;
  SetTrace(head);
  closing_ = closing;
  ForwardRequest request;
  record_ = &request.record;
  const bool forward = RouteToHost(head, &request);
  record_ = nullptr;
  if (redemption_) {
    TicketRedemption redemption = *std::exchange(redemption_, std::nullopt);
    redemption.record = std::move(request.record);
    return redemption;
  }
  if (!forward) return LocalReply{std::move(request.record)};
  return request;
}

bool RequestRouter::RouteToHost(const RequestHead& head,
                                ForwardRequest* request) {
  if (!CheckRequest(head)) return false;
  const HostKind kind = FindHost(head);
  if (kind == HostKind::kUnknown) return Reply(head, ReplyReason::kNoSuchHost);
  if (kind == HostKind::kNoJob) return Reply(head, ReplyReason::kNotFound);
  request->body = head.body;
  request->to_head = head.method == "HEAD";
  request->websocket = head.opens_websocket;
  request->expects_continue = head.expects_continue;
  request->keep_alive = !head.close;
  request->may_repeat = head.IsSafe() && head.body.kind == BodyKind::kNone;
  request->page = IsNavigation(head);
  request->request_id = request_id_;
  return kind == HostKind::kPortal ? RoutePortal(head, request)
                                   : RouteJob(head, host_.host, request);
}

HostKind RequestRouter::FindHost(const RequestHead& head) {
  if (!last_host_.empty() && head.host == last_host_) return host_.kind;
  // With a certificate for many hosts, a client may send a request for one host
  // over the connection of another. Carme's pages never need that.
  if (!server_name_.empty() &&
      !EqualsIgnoreCase(WithoutPort(head.host), server_name_)) {
    return HostKind::kUnknown;
  }
  const VirtualHosts& hosts = state_.shared().hosts;
  host_ = hosts.Match(head.host, head.target);
  origin_ = host_.kind == HostKind::kJob ? hosts.JobOrigin(host_.host) : "";
  // The Host field alone determines the destination, except with path-based
  // routing.
  const bool alone = host_.kind == HostKind::kPortal ||
                     (host_.kind == HostKind::kJob && !hosts.is_path_based());
  last_host_ = alone ? head.host : "";
  return host_.kind;
}

bool RequestRouter::RoutePortal(const RequestHead& head,
                                ForwardRequest* request) {
  request->api = IsApiTarget(head.target);
  if (head.body.kind == BodyKind::kLength &&
      head.body.length > kMaxPortalBody) {
    state_.counters().Of(Limit::kBody).Add();
    return Reply(head, ReplyReason::kBodyTooLarge);
  }
  PortalSlot slot =
      state_.shared().portal.TryAcquire(PortalClientKey(), SessionKeyOf(head));
  if (!slot.acquired()) {
    state_.counters().Of(Limit::kPortalRequests).Add();
    return Reply(head, ReplyReason::kRateLimited);
  }
  if (!CheckLoginRate(head)) return Reply(head, ReplyReason::kRateLimited);
  request->upstream_kind = UpstreamKind::kPortal;
  request->slot = std::move(slot);
  record_->SetDestination(Destination::kPortal, "");
  const bool has_body = head.body.kind != BodyKind::kNone;
  AppendRequest(head, UpstreamKind::kPortal,
                {.client_address = client_,
                 .request_id = request_id_,
                 .traceparent = traceparent_,
                 .keeps_tracestate = continues_trace_,
                 .whole_body = has_body},
                &request->head);
  LogRequest(head, "portal");
  return true;
}

bool RequestRouter::RouteJob(const RequestHead& head, const JobHost& host,
                             ForwardRequest* request) {
  const VirtualHosts& hosts = state_.shared().hosts;
  const std::string_view prefix = hosts.PrefixOf(head.target);
  const std::string_view target = head.target.substr(prefix.size());
  const std::string_view path = target.substr(0, target.find('?'));
  if (path.substr(0, kReserved.size()) == kReserved) {
    if (target.substr(0, kOpenTarget.size()) == kOpenTarget &&
        head.method == "GET" && !head.opens_websocket) {
      return RedeemTicket(head, host, target.substr(kOpenTarget.size()));
    }
    const bool asks = (path == kStatusPath || path == kOverlayPath) &&
                      head.method == "GET" && !head.opens_websocket;
    if (!asks) return Reply(head, ReplyReason::kNotFound);
  }
  if (const char* error = CrossOriginRefusal(head, origin_); error != nullptr) {
    LogRequest(head, error);
    return Reply(head, ReplyReason::kCrossOrigin);
  }
  if (path == kStatusPath) return ReplyAppStatus(head, host);
  if (path == kOverlayPath) return ReplyOverlayScript();
  AccessGrantPtr access = Authorize(head, host);
  if (access == nullptr) return Reply(head, denied_);
  const net::Address* agent = state_.routes().Find(host.job);
  if (agent == nullptr) {
    return Reply(head, state_.ReplyDetailsFor(host.job, access->app));
  }
  if (!AcquireSessionSlot(*access))
    return Reply(head, ReplyReason::kRateLimited);
  request->upstream_kind = UpstreamKind::kJob;
  record_->SetDestination(Destination::kJob, access->user);
  request->agent = *agent;
  request->prefix = prefix;
  request->overlay = state_.shared().app_overlay && WantsOverlay(head);
  AppendRequest(head, UpstreamKind::kJob,
                {.client_address = client_,
                 .request_id = request_id_,
                 .prefix = access->keeps_prefix ? "" : prefix,
                 .traceparent = traceparent_,
                 .keeps_tracestate = continues_trace_,
                 .unencoded = request->overlay},
                &request->head);
  LogRequest(head, access->user.c_str());
  request->access = std::move(access);
  return true;
}

bool RequestRouter::ReplyAppStatus(const RequestHead& head,
                                   const JobHost& host) {
  const AccessGrantPtr access = Authorize(head, host);
  if (access == nullptr) return Reply(head, denied_);
  const ReplyDetails details = state_.ReplyDetailsFor(host.job, access->app);
  record_->SetStatus(200);
  LocalReplyOptions options;
  options.hsts = state_.hsts();
  options.close = closing_;
  options.request_id = request_id_;
  options.reason = details.reason;
  options.expected_start = details.expected_start;
  const JobStatusEntry* status = state_.job_statuses().Find(host.job);
  if (status != nullptr) options.ends_at = status->ends_at;
  const std::string portal = state_.shared().hosts.PortalUrl();
  const std::string job = portal + "#/jobs/" + host.job.value();
  options.portal_url = portal;
  options.job_url = job;
  AppendAppStatus(details.reply_reason, options, &state_.out());
  return false;
}

bool RequestRouter::ReplyOverlayScript() {
  record_->SetStatus(200);
  LocalReplyOptions options;
  options.hsts = state_.hsts();
  options.close = closing_;
  options.request_id = request_id_;
  AppendOverlayScript(options, &state_.out());
  return false;
}

AccessGrantPtr RequestRouter::Authorize(const RequestHead& head,
                                        const JobHost& host) {
  denied_ = ReplyReason::kOpenFromPortal;
  const bool is_path_based = state_.shared().hosts.is_path_based();
  const std::string_view cookie =
      FindCookie(head, is_path_based ? kPathCookieName : kJobCookieName);
  if (cookie.empty()) return nullptr;
  if (cached_access_ == nullptr || cached_access_->host != host ||
      cookie != cached_cookie_) {
    absl::StatusOr<std::string> grant = state_.OpenCookie(host.label, cookie);
    if (!grant.ok()) {
      // The key of all proxies comes with the routes.
      if (state_.routes().trust() == nullptr) {
        denied_ = ReplyReason::kProxyStarting;
      }
      return nullptr;
    }
    absl::StatusOr<AccessGrantPtr> access = ParseAccessGrant(*grant, nullptr);
    if (!access.ok() || (*access)->host != host) return nullptr;
    cached_access_ = *std::move(access);
    cached_cookie_ = cookie;
  }
  if (state_.routes().IsRevoked(cached_access_->session)) {
    denied_ = ReplyReason::kSessionEnded;
    return nullptr;
  }
  if (cached_access_->expires <= state_.shared().clock.Now()) {
    denied_ = ReplyReason::kGrantExpired;
    return nullptr;
  }
  return cached_access_;
}

bool RequestRouter::RedeemTicket(const RequestHead& head, const JobHost& host,
                                 std::string_view ticket) {
  SharedState& shared = state_.shared();
  const RouteTable& routes = state_.routes();
  if (routes.trust() == nullptr)
    return Reply(head, ReplyReason::kProxyStarting);
  const absl::Time now = shared.clock.Now();
  absl::StatusOr<AccessGrantPtr> access =
      shared.tickets.Redeem(ticket, host, routes.trust()->tickets, now);
  if (!access.ok()) {
    LogInfo("ticket rejected",
            {{"request", request_id_},
             {"client", client_},
             {"host", host.label},
             {"error", std::string(access.status().message())}});
    return Reply(head, ReplyReason::kTicketRejected);
  }
  if (routes.IsRevoked((*access)->session)) {
    return Reply(head, ReplyReason::kSessionEnded);
  }
  TicketRedemption redemption{
      .signed_ticket = Base64UrlDecode(ticket).value_or(""),
      .access = *std::move(access),
      .prefix = std::string(shared.hosts.PrefixOf(head.target)),
      .request_id = request_id_,
      .client = client_,
      .page = IsNavigation(head),
      .closing = closing_};
  if (shared.redeemer != nullptr) {
    redemption_ = std::move(redemption);
    return false;
  }
  AppendTicketAccepted(state_, redemption);
  record_->SetStatus(303);
  return false;
}

bool RequestRouter::Reply(const RequestHead& head,
                          const ReplyDetails& details) {
  LogRequest(head, "local reply");
  record_->SetStatus(StatusOf(details.reply_reason));
  LocalReplyOptions options;
  options.hsts = state_.hsts();
  options.page = IsNavigation(head);
  options.head_only = head.method == "HEAD";
  options.close = closing_;
  options.request_id = request_id_;
  options.api = host_.kind != HostKind::kJob && IsApiTarget(head.target);
  const VirtualHosts& hosts = state_.shared().hosts;
  const std::string portal = hosts.PortalUrl();
  options.portal_url = portal;
  std::string status_path;
  if (hosts.Match(head.host, head.target).kind == HostKind::kJob) {
    status_path.append(hosts.PrefixOf(head.target)).append(kStatusPath);
  }
  options.status_path = status_path;
  options.reason = details.reason;
  options.expected_start = details.expected_start;
  AppendLocalReply(details.reply_reason, options, &state_.out());
  return false;
}

void RequestRouter::LogRequest(const RequestHead& head,
                               const char* outcome) const {
  if (!LogsAt(LogLevel::kDebug)) return;
  // Without the query: apps send tokens in it, the portal its tickets.
  LogDebug("request", {{"request", request_id_},
                       {"client", client_},
                       {"host", head.host},
                       {"method", head.method},
                       {"path", head.target.substr(0, head.target.find('?'))},
                       {"outcome", outcome}});
}

}  // namespace carme::proxy
