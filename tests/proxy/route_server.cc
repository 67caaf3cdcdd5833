#include "tests/proxy/route_server.h"

#include <grpcpp/grpcpp.h>

#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <vector>

#include "carme/v1/activity.grpc.pb.h"
#include "carme/v1/routes.grpc.pb.h"

namespace carme::testing {

struct RouteServer::State : public v1::RouteService::Service {
  struct Activity : public v1::ActivityService::Service {
    explicit Activity(State* the_state) : state(the_state) {}
    grpc::Status ReportActivity(grpc::ServerContext*,
                                const v1::ReportActivityRequest* request,
                                v1::ReportActivityResponse*) override {
      std::lock_guard lock(state->mutex);
      if (state->deaf) return grpc::Status(grpc::StatusCode::UNAVAILABLE, "");
      state->reports.push_back(*request);
      return grpc::Status::OK;
    }
    State* const state;
  };

  grpc::Status WatchRoutes(
      grpc::ServerContext* context, const v1::WatchRoutesRequest*,
      grpc::ServerWriter<v1::WatchRoutesResponse>* writer) override {
    std::unique_lock lock(mutex);
    size_t next = messages.size();
    ++streams;
    bool good = writer->Write(snapshot);
    while (good && !stopping && !context->IsCancelled()) {
      changed.wait_for(lock, std::chrono::milliseconds(20));
      while (good && next < messages.size()) {
        good = writer->Write(messages[next++]);
      }
    }
    --streams;
    return grpc::Status(grpc::StatusCode::UNAVAILABLE, "stopping");
  }

  std::mutex mutex;
  std::condition_variable changed;
  v1::WatchRoutesResponse snapshot;
  std::vector<v1::WatchRoutesResponse> messages;
  std::vector<v1::ReportActivityRequest> reports;
  bool deaf = false;
  bool stopping = false;
  int streams = 0;
  Activity activity{this};
  std::unique_ptr<grpc::Server> server;
};

RouteServer::RouteServer(const TestCa& site_ca, int port)
    : state_(std::make_shared<State>()) {
  TestIdentity own = site_ca.Issue({"carme-backend"});
  certificate_pem_ = own.certificate_pem;
  grpc::SslServerCredentialsOptions tls(
      GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  tls.pem_root_certs = site_ca.certificate_pem();
  tls.pem_key_cert_pairs = {{own.key_pem, own.certificate_pem}};
  grpc::ServerBuilder builder;
  builder.AddListeningPort("127.0.0.1:" + std::to_string(port),
                           grpc::SslServerCredentials(tls), &port_);
  builder.RegisterService(state_.get());
  builder.RegisterService(&state_->activity);
  state_->server = builder.BuildAndStart();
  if (state_->server == nullptr) std::abort();
}

RouteServer::~RouteServer() {
  {
    std::lock_guard lock(state_->mutex);
    state_->stopping = true;
  }
  state_->changed.notify_all();
  state_->server->Shutdown(std::chrono::system_clock::now() +
                           std::chrono::seconds(1));
}

void RouteServer::SetSnapshot(const v1::WatchRoutesResponse& snapshot) {
  {
    std::lock_guard lock(state_->mutex);
    state_->snapshot = snapshot;
  }
  Push(snapshot);
}

void RouteServer::Push(const v1::WatchRoutesResponse& change) {
  {
    std::lock_guard lock(state_->mutex);
    state_->messages.push_back(change);
  }
  state_->changed.notify_all();
}

std::vector<v1::ReportActivityRequest> RouteServer::reports() const {
  std::lock_guard lock(state_->mutex);
  return state_->reports;
}

void RouteServer::RefuseReports(bool refuse) {
  std::lock_guard lock(state_->mutex);
  state_->deaf = refuse;
}

int RouteServer::streams() const {
  std::lock_guard lock(state_->mutex);
  return state_->streams;
}

}  // namespace carme::testing
