#include "proxy/decide.h"

#include <utility>

#include "common/log.h"
#include "proxy/api_error.h"
#include "proxy/cookies.h"
#include "proxy/request_policy.h"

namespace carme::proxy {
namespace {

// Not a path of any app: the proxy's own, on the hosts of jobs.
constexpr std::string_view kReserved = "/.carme/";
constexpr std::string_view kOpenTarget = "/.carme/open?ticket=";

}  // namespace

void Decider::Decide(const RequestHead& head, const std::string& request_id,
                     bool closing, ExchangeRequest* exchange) {
  request_id_ = request_id;
  closing_ = closing;
  record_ = &exchange->record;
  if (!Admit(head)) return;
  const HostKind kind = FindHost(head);
  if (kind == HostKind::kUnknown) {
    return Notify(head, Notice::kNoSuchHost);
  }
  if (kind == HostKind::kNoJob) {
    return Notify(head, Notice::kNotFound);
  }
  exchange->body = head.body;
  exchange->to_head = head.method == "HEAD";
  exchange->websocket = head.opens_websocket;
  exchange->expects_continue = head.expects_continue;
  exchange->keep_alive = !head.close;
  exchange->may_repeat = head.IsSafe() && head.body.kind == BodyKind::kNone;
  exchange->page = IsNavigation(head);
  exchange->changes = !head.IsSafe();
  exchange->request_id = request_id_;
  if (kind == HostKind::kPortal) {
    DecidePortal(head, exchange);
  } else {
    DecideJob(head, host_.host, exchange);
  }
}

HostKind Decider::FindHost(const RequestHead& head) {
  if (!host_said_.empty() && head.host == host_said_) return host_.kind;
  // A certificate for many hosts lets a client send a request for one of them
  // over the connection of another; none of ours has a reason to.
  if (!server_name_.empty() &&
      !EqualsIgnoreCase(WithoutPort(head.host), server_name_)) {
    return HostKind::kUnknown;
  }
  const Site& site = worker_.services().site;
  host_ = site.Meaning(head.host, head.target);
  origin_ = host_.kind == HostKind::kJob ? site.JobOrigin(host_.host) : "";
  // One of ours is short, and alone says where a request goes, but on the host
  // of all jobs.
  const bool alone = host_.kind == HostKind::kPortal ||
                     (host_.kind == HostKind::kJob && !site.by_path());
  host_said_ = alone ? head.host : "";
  return host_.kind;
}

void Decider::DecidePortal(const RequestHead& head, ExchangeRequest* exchange) {
  exchange->api = IsApiTarget(head.target);
  if (head.body.kind == BodyKind::kLength &&
      head.body.length > kMaxPortalBody) {
    worker_.counters().Of(Limit::kBody).Add();
    return Notify(head, Notice::kBodyTooLarge);
  }
  PortalSeat seat =
      worker_.services().portal.Enter(PortalPlace(), SessionKeyOf(head));
  if (!seat.taken()) {
    worker_.counters().Of(Limit::kPortalRequests).Add();
    return Notify(head, Notice::kTooMany);
  }
  if (!AdmitLogin(head)) return Notify(head, Notice::kTooMany);
  exchange->hop = Hop::kPortal;
  exchange->seat = std::move(seat);
  record_->PassedTo(Served::kPortal, "");
  const bool has_body = head.body.kind != BodyKind::kNone;
  AppendRequest(head, Hop::kPortal, {client_, request_id_, "", has_body},
                &exchange->head);
  LogRequest(head, "portal");
}

void Decider::DecideJob(const RequestHead& head, const JobHost& host,
                        ExchangeRequest* exchange) {
  const Site& site = worker_.services().site;
  const std::string_view prefix = site.PrefixOf(head.target);
  const std::string_view target = head.target.substr(prefix.size());
  const std::string_view path = target.substr(0, target.find('?'));
  if (path.substr(0, kReserved.size()) == kReserved) {
    if (target.substr(0, kOpenTarget.size()) == kOpenTarget &&
        head.method == "GET" && !head.opens_websocket) {
      return OpenByTicket(head, host, target.substr(kOpenTarget.size()));
    }
    const bool asks =
        path == kStatePath && head.method == "GET" && !head.opens_websocket;
    if (!asks) return Notify(head, Notice::kNotFound);
  }
  if (const char* why = CrossOriginRefusal(head, origin_); why != nullptr) {
    LogRequest(head, why);
    return Notify(head, Notice::kForbidden);
  }
  if (path == kStatePath) return TellState(head, host);
  AccessPtr access = Authorize(head, host);
  if (access == nullptr) return Notify(head, denied_);
  const net::Address* agent = worker_.routes().Find(host.job);
  if (agent == nullptr) {
    return Notify(head, worker_.SituationOf(host.job, access->app));
  }
  if (!TakeSeat(*access)) return Notify(head, Notice::kTooMany);
  exchange->hop = Hop::kJob;
  record_->PassedTo(Served::kJob, access->user);
  exchange->agent = *agent;
  exchange->prefix = prefix;
  AppendRequest(head, Hop::kJob,
                {client_, request_id_, access->whole_path ? "" : prefix},
                &exchange->head);
  LogRequest(head, access->user.c_str());
  exchange->access = std::move(access);
}

void Decider::TellState(const RequestHead& head, const JobHost& host) {
  const AccessPtr access = Authorize(head, host);
  if (access == nullptr) return Notify(head, denied_);
  const Situation situation = worker_.SituationOf(host.job, access->app);
  record_->Answered(200);
  AnswerOptions options;
  options.hsts = worker_.hsts();
  options.close = closing_;
  options.request_id = request_id_;
  options.reason = situation.reason;
  options.expected_start = situation.expected_start;
  AppendState(situation.notice, options, &worker_.out());
}

AccessPtr Decider::Authorize(const RequestHead& head, const JobHost& host) {
  denied_ = Notice::kOpenFromPortal;
  const bool by_path = worker_.services().site.by_path();
  const std::string_view cookie =
      FindCookie(head, by_path ? kPathCookieName : kJobCookieName);
  if (cookie.empty()) return nullptr;
  if (known_access_ == nullptr || known_access_->host != host ||
      cookie != known_cookie_) {
    absl::StatusOr<std::string> grant = worker_.seal().Open(host.label, cookie);
    if (!grant.ok()) return nullptr;
    absl::StatusOr<AccessPtr> access = AccessFromGrant(*grant, nullptr);
    if (!access.ok() || (*access)->host != host) return nullptr;
    known_access_ = *std::move(access);
    known_cookie_ = cookie;
  }
  if (worker_.routes().IsRevoked(known_access_->session)) {
    denied_ = Notice::kSessionEnded;
    return nullptr;
  }
  if (known_access_->expires <= worker_.services().clock.Now()) {
    denied_ = Notice::kPassExpired;
    return nullptr;
  }
  return known_access_;
}

void Decider::OpenByTicket(const RequestHead& head, const JobHost& host,
                           std::string_view ticket) {
  Services& services = worker_.services();
  const RouteTable& routes = worker_.routes();
  if (routes.trust() == nullptr) return Notify(head, Notice::kNotKnownYet);
  const absl::Time now = services.clock.Now();
  absl::StatusOr<AccessPtr> access =
      services.tickets.Redeem(ticket, host, routes.trust()->tickets, now);
  if (!access.ok()) {
    LogInfo("ticket refused",
            {{"request", request_id_},
             {"client", client_},
             {"host", host.label},
             {"why", std::string(access.status().message())}});
    return Notify(head, Notice::kTicketRefused);
  }
  if (routes.IsRevoked((*access)->session)) {
    return Notify(head, Notice::kSessionEnded);
  }
  LogInfo("app opened", {{"request", request_id_},
                         {"user", (*access)->user},
                         {"host", host.label},
                         {"client", client_}});
  record_->Answered(303);
  AnswerOptions options;
  options.close = closing_;
  options.hsts = worker_.hsts();
  options.request_id = request_id_;
  const std::string root =
      std::string(services.site.PrefixOf(head.target)) + "/";
  AppendOpened(root, services.site.by_path() ? kPathCookieName : kJobCookieName,
               worker_.seal().Seal(host.label, (*access)->signed_grant),
               absl::ToInt64Seconds((*access)->expires - now), options,
               &worker_.out());
}

void Decider::Notify(const RequestHead& head, const Situation& situation) {
  LogRequest(head, "answered here");
  record_->Answered(StatusOf(situation.notice));
  AnswerOptions options;
  options.hsts = worker_.hsts();
  options.page = IsNavigation(head);
  options.head_only = head.method == "HEAD";
  options.close = closing_;
  options.request_id = request_id_;
  options.api = host_.kind != HostKind::kJob && IsApiTarget(head.target);
  const Site& site = worker_.services().site;
  const std::string portal = site.PortalUrl();
  options.portal_url = portal;
  std::string state_path;
  if (site.Meaning(head.host, head.target).kind == HostKind::kJob) {
    state_path.append(site.PrefixOf(head.target)).append(kStatePath);
  }
  options.state_path = state_path;
  options.reason = situation.reason;
  options.expected_start = situation.expected_start;
  AppendNotice(situation.notice, options, &worker_.out());
}

void Decider::LogRequest(const RequestHead& head, const char* outcome) const {
  if (!LogsAt(LogLevel::kDebug)) return;
  // Without the query, where apps put tokens and the portal its tickets.
  LogDebug("request", {{"request", request_id_},
                       {"client", client_},
                       {"host", head.host},
                       {"method", head.method},
                       {"path", head.target.substr(0, head.target.find('?'))},
                       {"outcome", outcome}});
}

}  // namespace carme::proxy
