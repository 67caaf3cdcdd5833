// The services that proxies and the backends of further clusters call: routes,
// ended sessions, and what proxies see of jobs.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "backend/audit/audit_log.h"
#include "backend/jobs/agents/redeemed_tickets.h"
#include "backend/jobs/feeds/routes.h"
#include "backend/jobs/lifecycle/idle_monitor.h"
#include "backend/jobs/model/job_proto.h"
#include "backend/rpc/access/audit_event.h"
#include "backend/rpc/access/caller.h"
#include "backend/rpc/server/dispatched_stream.h"
#include "backend/rpc/server/proxy_connections.h"
#include "backend/rpc/server/stream_dispatcher.h"
#include "backend/rpc/services/messages.h"
#include "backend/rpc/services/services.h"
#include "carme/v1/activity.grpc.pb.h"
#include "carme/v1/routes.grpc.pb.h"
#include "carme/v1/session.grpc.pb.h"
#include "common/grpc/grpc_status.h"
#include "common/name_rules.h"
#include "common/protobuf/message_error.h"

namespace carme::backend {
namespace {

// routes.proto and session.proto: 10
constexpr absl::Duration kHeartbeat = absl::Seconds(8);

void Fill(const JobId& job, const JobStatus& status, v1::JobStatus* message) {
  message->set_job_id(job.value());
  message->set_state(status.state.value_or(v1::JOB_STATE_UNSPECIFIED));
  message->set_reason(status.reason);
  if (status.expected_start) {
    carme::backend::Fill(*status.expected_start,
                         message->mutable_expected_start());
  }
  if (status.ends_at) {
    carme::backend::Fill(*status.ends_at, message->mutable_ends_at());
  }
  for (const JobApp& app : status.apps) {
    v1::JobApp* row = message->add_apps();
    row->set_app(app.id);
    row->set_state(app.state);
    row->set_detail(app.detail.text);
  }
}

class RouteUpdateSource : public StreamSource<v1::WatchRoutesResponse> {
 public:
  RouteUpdateSource(Routes* routes, const RouteKeys& keys,
                    ProxyConnections* proxies, std::string address,
                    StreamDispatcher::Wake wake)
      : keys_(keys),
        proxies_(proxies),
        address_(std::move(address)),
        subscription_(routes->Subscribe(std::move(wake))) {
    if (proxies_ != nullptr) proxies_->Add(address_);
  }
  ~RouteUpdateSource() override {
    if (proxies_ != nullptr) proxies_->Remove(address_);
  }

  absl::Status Check() override { return absl::OkStatus(); }

  absl::StatusOr<bool> Next(bool heartbeat,
                            v1::WatchRoutesResponse* message) override {
    const RouteUpdates updates = subscription_->Drain();
    if (!updates.snapshot && updates.routes.empty() &&
        updates.removed.empty() && updates.revoked.empty() &&
        updates.restored.empty() && updates.statuses.empty() && !heartbeat) {
      return false;
    }
    message->set_snapshot(updates.snapshot);
    for (const auto& [job, endpoint] : updates.routes) {
      v1::Route* route = message->add_routes();
      route->set_job_id(job.value());
      route->set_address(endpoint.address);
      route->set_port(endpoint.port == kDialsOut
                          ? 0
                          : static_cast<uint32_t>(endpoint.port));
    }
    for (const JobId& job : updates.removed) message->add_removed(job.value());
    for (const EndedSession& session : updates.revoked) {
      v1::RevokedSession* row = message->add_revoked_sessions();
      row->set_session_id(session.id.value());
      carme::backend::Fill(session.forget_after, row->mutable_forget_after());
    }
    for (const auto& [job, status] : updates.statuses) {
      Fill(job, status, message->add_statuses());
    }
    for (const SessionId& session : updates.restored) {
      message->add_restored_sessions(session.value());
    }
    if (updates.snapshot) {
      message->mutable_keys()->set_ticket_public_key(keys_.ticket_public_key);
      message->mutable_keys()->set_job_ca_pem(keys_.job_ca_pem);
      message->mutable_keys()->set_cookie_key(keys_.cookie_key);
    }
    return true;
  }

 private:
  const RouteKeys& keys_;
  ProxyConnections* const proxies_;
  const std::string address_;
  const std::unique_ptr<RouteSubscription> subscription_;
};

using Base =
    v1::RouteService::WithCallbackMethod_WatchRoutes<v1::RouteService::Service>;

class RouteService : public Base {
 public:
  RouteService(Routes* routes, RouteKeys keys, StreamDispatcher* dispatcher,
               AuditLog* audit, RedeemedTickets* tickets,
               ProxyConnections* proxies)
      : routes_(routes),
        keys_(std::move(keys)),
        dispatcher_(dispatcher),
        audit_(audit),
        tickets_(tickets),
        proxies_(proxies) {}

  using Base::WatchRoutes;
  grpc::ServerWriteReactor<v1::WatchRoutesResponse>* WatchRoutes(
      grpc::CallbackServerContext* context,
      const v1::WatchRoutesRequest* /*request*/) override {
    // Works although the audit log cannot be written: it carries revocations.
    audit_->Record(
        Outcome(EventOf(*context, CallerOf(*context), "watch-routes"), {}));
    return OpenStream<v1::WatchRoutesResponse>(
        dispatcher_, context, kHeartbeat,
        [&](const StreamDispatcher::Wake& wake) {
          return std::make_unique<RouteUpdateSource>(
              routes_, keys_, proxies_, PeerAddress(*context), wake);
        });
  }

  grpc::Status RedeemTicket(grpc::ServerContext* /*context*/,
                            const v1::RedeemTicketRequest* request,
                            v1::RedeemTicketResponse* /*response*/) override {
    return ToGrpc(tickets_->Redeem(request->ticket()));
  }

 private:
  Routes* const routes_;
  const RouteKeys keys_;
  StreamDispatcher* const dispatcher_;
  AuditLog* const audit_;
  RedeemedTickets* const tickets_;
  ProxyConnections* const proxies_;
};

// The revocations that the proxies of this cluster receive, too.
class EndedSessionSource : public StreamSource<v1::WatchEndedSessionsResponse> {
 public:
  EndedSessionSource(Routes* routes, StreamDispatcher::Wake wake)
      : subscription_(routes->Subscribe(std::move(wake))) {}

  absl::Status Check() override { return absl::OkStatus(); }

  absl::StatusOr<bool> Next(bool heartbeat,
                            v1::WatchEndedSessionsResponse* message) override {
    const RouteUpdates updates = subscription_->Drain();
    if (!updates.snapshot && updates.revoked.empty() &&
        updates.restored.empty() && !heartbeat) {
      return false;
    }
    message->set_snapshot(updates.snapshot);
    for (const EndedSession& session : updates.revoked) {
      v1::RevokedSession* row = message->add_ended_sessions();
      row->set_session_id(session.id.value());
      carme::backend::Fill(session.forget_after, row->mutable_forget_after());
    }
    for (const SessionId& session : updates.restored) {
      message->add_restored_sessions(session.value());
    }
    return true;
  }

 private:
  const std::unique_ptr<RouteSubscription> subscription_;
};

using SessionBase = v1::SessionService::WithCallbackMethod_WatchEndedSessions<
    v1::SessionService::Service>;

class SessionService : public SessionBase {
 public:
  SessionService(Routes* routes, StreamDispatcher* dispatcher, AuditLog* audit)
      : routes_(routes), dispatcher_(dispatcher), audit_(audit) {}

  using SessionBase::WatchEndedSessions;
  grpc::ServerWriteReactor<v1::WatchEndedSessionsResponse>* WatchEndedSessions(
      grpc::CallbackServerContext* context,
      const v1::WatchEndedSessionsRequest* /*request*/) override {
    audit_->Record(Outcome(
        EventOf(*context, CallerOf(*context), "watch-ended-sessions"), {}));
    return OpenStream<v1::WatchEndedSessionsResponse>(
        dispatcher_, context, kHeartbeat,
        [&](const StreamDispatcher::Wake& wake) {
          return std::make_unique<EndedSessionSource>(routes_, wake);
        });
  }

 private:
  Routes* const routes_;
  StreamDispatcher* const dispatcher_;
  AuditLog* const audit_;
};

constexpr int kMaxRows = 1000;
constexpr NameRule kInstanceRule{.characters = kBase64UrlCharacters,
                                 .max_bytes = 32};
constexpr uint32_t kMaxConnections = 1'000'000;

// A compromised proxy must not overflow a sum.
uint64_t Bytes(uint64_t reported) {
  return std::min(reported, uint64_t{1} << 56);
}

ProxyActivity SawOf(const v1::JobActivity& row) {
  return {.connections =
              static_cast<int>(std::min(row.connections(), kMaxConnections)),
          .received_bytes = Bytes(row.received_bytes()),
          .sent_bytes = Bytes(row.sent_bytes())};
}

class ActivityService : public v1::ActivityService::Service {
 public:
  explicit ActivityService(IdleMonitor* idle) : idle_(idle) {}

  grpc::Status ReportActivity(
      grpc::ServerContext* /*context*/,
      const v1::ReportActivityRequest* request,
      v1::ReportActivityResponse* /*response*/) override {
    if (!kInstanceRule.Allows(request->instance()) ||
        request->jobs_size() > kMaxRows) {
      return ToGrpc(MakeError(rpc_service_messages::kActivityReportInvalid));
    }
    for (const v1::JobActivity& row : request->jobs()) {
      if (!IsJobId(row.job_id())) continue;
      idle_->OnProxyActivity(JobId(row.job_id()), request->instance(),
                             SawOf(row));
    }
    return grpc::Status::OK;
  }

 private:
  IdleMonitor* const idle_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewSessionService(Routes* routes,
                                                 StreamDispatcher* dispatcher,
                                                 AuditLog* audit) {
  return std::make_unique<SessionService>(routes, dispatcher, audit);
}

std::unique_ptr<grpc::Service> NewRouteService(Routes* routes, RouteKeys keys,
                                               StreamDispatcher* dispatcher,
                                               AuditLog* audit,
                                               RedeemedTickets* tickets,
                                               ProxyConnections* proxies) {
  return std::make_unique<RouteService>(routes, std::move(keys), dispatcher,
                                        audit, tickets, proxies);
}

std::unique_ptr<grpc::Service> NewActivityService(IdleMonitor* idle) {
  return std::make_unique<ActivityService>(idle);
}

}  // namespace carme::backend
