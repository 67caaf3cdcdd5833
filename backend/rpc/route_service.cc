#include "backend/rpc/route_service.h"

#include <utility>

#include "backend/jobs/job_proto.h"
#include "backend/rpc/audit_event.h"
#include "backend/rpc/pumped_stream.h"
#include "carme/v1/routes.grpc.pb.h"

namespace carme {
namespace {

constexpr absl::Duration kBeat = absl::Seconds(8);  // the contract says 10

class RouteNewsSource : public StreamSource<v1::WatchRoutesResponse> {
 public:
  RouteNewsSource(Routes* routes, const RouteKeys& keys, StreamPump::Wake wake)
      : keys_(keys), subscription_(routes->Subscribe(std::move(wake))) {}

  absl::Status Check() override { return absl::OkStatus(); }

  absl::StatusOr<bool> Next(bool beat,
                            v1::WatchRoutesResponse* message) override {
    const RouteNews news = subscription_->Take();
    if (!news.snapshot && news.routes.empty() && news.removed.empty() &&
        news.revoked.empty() && !beat) {
      return false;
    }
    message->set_snapshot(news.snapshot);
    for (const auto& [job, endpoint] : news.routes) {
      v1::Route* route = message->add_routes();
      route->set_job_id(job.value());
      route->set_address(endpoint.address);
      route->set_port(static_cast<uint32_t>(endpoint.port));
    }
    for (const JobId& job : news.removed) message->add_removed(job.value());
    for (const EndedSession& session : news.revoked) {
      v1::RevokedSession* row = message->add_revoked_sessions();
      row->set_session_id(session.id.value());
      Fill(session.forget_after, row->mutable_forget_after());
    }
    if (news.snapshot) {
      message->mutable_keys()->set_ticket_public_key(keys_.ticket_public_key);
      message->mutable_keys()->set_job_ca_pem(keys_.job_ca_pem);
    }
    return true;
  }

 private:
  const RouteKeys& keys_;
  const std::unique_ptr<RouteSubscription> subscription_;
};

using Base =
    v1::RouteService::WithCallbackMethod_WatchRoutes<v1::RouteService::Service>;

class RouteService : public Base {
 public:
  RouteService(Routes* routes, RouteKeys keys, StreamPump* pump,
               AuditLog* audit)
      : routes_(routes), keys_(std::move(keys)), pump_(pump), audit_(audit) {}

  using Base::WatchRoutes;
  grpc::ServerWriteReactor<v1::WatchRoutesResponse>* WatchRoutes(
      grpc::CallbackServerContext* context,
      const v1::WatchRoutesRequest* /*request*/) override {
    // Not refused while nothing can be recorded: revocations come this way.
    audit_->Record(
        Outcome(EventOf(*context, CallerOf(*context), "watch-routes"), {}));
    return OpenStream<v1::WatchRoutesResponse>(
        pump_, context, kBeat, [&](const StreamPump::Wake& wake) {
          return std::make_unique<RouteNewsSource>(routes_, keys_, wake);
        });
  }

 private:
  Routes* const routes_;
  const RouteKeys keys_;
  StreamPump* const pump_;
  AuditLog* const audit_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewRouteService(Routes* routes, RouteKeys keys,
                                               StreamPump* pump,
                                               AuditLog* audit) {
  return std::make_unique<RouteService>(routes, std::move(keys), pump, audit);
}

}  // namespace carme
