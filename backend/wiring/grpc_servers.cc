#include "backend/wiring/grpc_servers.h"

#include <grpcpp/impl/service_type.h>

#include <utility>

#include "absl/time/clock.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr absl::Duration kDrain = absl::Seconds(5);

std::vector<grpc::Service*> Pointers(
    const std::vector<std::unique_ptr<grpc::Service>>& services) {
  std::vector<grpc::Service*> pointers;
  for (const auto& service : services) pointers.push_back(service.get());
  return pointers;
}

}  // namespace

GrpcServers::GrpcServers(std::vector<StreamDispatcher*> dispatchers)
    : dispatchers_(std::move(dispatchers)) {}

absl::StatusOr<std::unique_ptr<GrpcServers>> GrpcServers::Start(
    const TlsConfig& config, const ServerIdentity& identity, AccessGuard* guard,
    std::vector<StreamDispatcher*> dispatchers, Services services) {
  std::unique_ptr<GrpcServers> serving(new GrpcServers(std::move(dispatchers)));
  serving->services_ = std::move(services);
  for (StreamDispatcher* dispatcher : serving->dispatchers_)
    dispatcher->Start();
  ASSIGN_OR_RETURN(serving->clients_,
                   GrpcServer::Start(Port::kClients, config, identity, *guard,
                                     Pointers(serving->services_.clients)));
  ASSIGN_OR_RETURN(serving->agents_,
                   GrpcServer::Start(Port::kAgents, config, identity, *guard,
                                     Pointers(serving->services_.agents)));
  LogInfo("serving", {{"clients", config.clients},
                      {"clients_port", serving->clients_->number()},
                      {"agents", config.agents},
                      {"agents_port", serving->agents_->number()}});
  return serving;
}

GrpcServers::~GrpcServers() {
  for (StreamDispatcher* dispatcher : dispatchers_) {
    dispatcher->EndAll(
        absl::UnavailableError("the backend is stopping; "
                               "reconnect"));
  }
  const absl::Time deadline = absl::Now() + kDrain;
  if (clients_ != nullptr) clients_->Shutdown(deadline);
  if (agents_ != nullptr) agents_->Shutdown(deadline);
  for (StreamDispatcher* dispatcher : dispatchers_) dispatcher->Stop();
}

}  // namespace carme::backend
