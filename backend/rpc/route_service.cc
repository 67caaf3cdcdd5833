#include "backend/rpc/route_service.h"

#include <utility>

#include "backend/jobs/job_proto.h"
#include "backend/rpc/audit_event.h"
#include "backend/rpc/pumped_stream.h"
#include "carme/v1/routes.grpc.pb.h"

namespace carme::backend {
namespace {

constexpr absl::Duration kBeat = absl::Seconds(8);  // the contract says 10

static_assert(static_cast<int>(JobPhase::kEnded) == v1::JOB_PHASE_ENDED);
static_assert(static_cast<int>(JobPhase::kStarts) == v1::JOB_PHASE_STARTS);

void Fill(const JobId& job, const JobStanding& standing,
          v1::JobStanding* message) {
  message->set_job_id(job.value());
  message->set_phase(static_cast<v1::JobPhase>(standing.phase));
  message->set_reason(standing.reason);
  if (standing.expected_start) {
    carme::backend::Fill(*standing.expected_start, message->mutable_expected_start());
  }
  for (const JobApp& app : standing.apps) {
    v1::JobApp* row = message->add_apps();
    row->set_app(app.id);
    row->set_state(static_cast<v1::JobAppState>(app.state));
    row->set_detail(app.detail);
  }
}

class RouteNewsSource : public StreamSource<v1::WatchRoutesResponse> {
 public:
  RouteNewsSource(Routes* routes, const RouteKeys& keys,
                  ProxyConnections* proxies, std::string address,
                  StreamPump::Wake wake)
      : keys_(keys),
        proxies_(proxies),
        address_(std::move(address)),
        subscription_(routes->Subscribe(std::move(wake))) {
    if (proxies_ != nullptr) proxies_->Add(address_);
  }
  ~RouteNewsSource() override {
    if (proxies_ != nullptr) proxies_->Remove(address_);
  }

  absl::Status Check() override { return absl::OkStatus(); }

  absl::StatusOr<bool> Next(bool beat,
                            v1::WatchRoutesResponse* message) override {
    const RouteNews news = subscription_->Take();
    if (!news.snapshot && news.routes.empty() && news.removed.empty() &&
        news.revoked.empty() && news.restored.empty() &&
        news.standings.empty() && !beat) {
      return false;
    }
    message->set_snapshot(news.snapshot);
    for (const auto& [job, endpoint] : news.routes) {
      v1::Route* route = message->add_routes();
      route->set_job_id(job.value());
      route->set_address(endpoint.address);
      route->set_port(endpoint.port == kDialsOut
                          ? 0
                          : static_cast<uint32_t>(endpoint.port));
    }
    for (const JobId& job : news.removed) message->add_removed(job.value());
    for (const EndedSession& session : news.revoked) {
      v1::RevokedSession* row = message->add_revoked_sessions();
      row->set_session_id(session.id.value());
      carme::backend::Fill(session.forget_after, row->mutable_forget_after());
    }
    for (const auto& [job, standing] : news.standings) {
      Fill(job, standing, message->add_standings());
    }
    for (const SessionId& session : news.restored) {
      message->add_restored_sessions(session.value());
    }
    if (news.snapshot) {
      message->mutable_keys()->set_ticket_public_key(keys_.ticket_public_key);
      message->mutable_keys()->set_job_ca_pem(keys_.job_ca_pem);
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
  RouteService(Routes* routes, RouteKeys keys, StreamPump* pump,
               AuditLog* audit, ProxyConnections* proxies)
      : routes_(routes),
        keys_(std::move(keys)),
        pump_(pump),
        audit_(audit),
        proxies_(proxies) {}

  using Base::WatchRoutes;
  grpc::ServerWriteReactor<v1::WatchRoutesResponse>* WatchRoutes(
      grpc::CallbackServerContext* context,
      const v1::WatchRoutesRequest* /*request*/) override {
    // Not refused while nothing can be recorded: revocations come this way.
    audit_->Record(
        Outcome(EventOf(*context, CallerOf(*context), "watch-routes"), {}));
    return OpenStream<v1::WatchRoutesResponse>(
        pump_, context, kBeat, [&](const StreamPump::Wake& wake) {
          return std::make_unique<RouteNewsSource>(
              routes_, keys_, proxies_, PeerAddress(*context), wake);
        });
  }

 private:
  Routes* const routes_;
  const RouteKeys keys_;
  StreamPump* const pump_;
  AuditLog* const audit_;
  ProxyConnections* const proxies_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewRouteService(Routes* routes, RouteKeys keys,
                                               StreamPump* pump,
                                               AuditLog* audit,
                                               ProxyConnections* proxies) {
  return std::make_unique<RouteService>(routes, std::move(keys), pump, audit,
                                        proxies);
}

}  // namespace carme::backend
