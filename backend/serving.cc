#include "backend/serving.h"

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

Serving::Serving(std::vector<StreamPump*> pumps) : pumps_(std::move(pumps)) {}

absl::StatusOr<std::unique_ptr<Serving>> Serving::Start(
    const TlsConfig& config, const ServerIdentity& identity, AccessGuard* guard,
    std::vector<StreamPump*> pumps, Services services) {
  std::unique_ptr<Serving> serving(new Serving(std::move(pumps)));
  serving->services_ = std::move(services);
  for (StreamPump* pump : serving->pumps_) pump->Start();
  ASSIGN_OR_RETURN(
      serving->clients_,
      GuardedPort::Start(Port::kClients, config, identity, *guard,
                         Pointers(serving->services_.clients)));
  ASSIGN_OR_RETURN(serving->agents_,
                   GuardedPort::Start(Port::kAgents, config, identity, *guard,
                                      Pointers(serving->services_.agents)));
  LogInfo("serving", {{"clients", config.clients},
                      {"clients_port", serving->clients_->number()},
                      {"agents", config.agents},
                      {"agents_port", serving->agents_->number()}});
  return serving;
}

Serving::~Serving() {
  for (StreamPump* pump : pumps_) {
    pump->EndAll(absl::UnavailableError("the backend is stopping: come again"));
  }
  const absl::Time deadline = absl::Now() + kDrain;
  if (clients_ != nullptr) clients_->Shutdown(deadline);
  if (agents_ != nullptr) agents_->Shutdown(deadline);
  for (StreamPump* pump : pumps_) pump->Stop();
}

}  // namespace carme::backend
