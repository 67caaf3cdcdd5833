#include "backend/serving.h"

#include <grpcpp/impl/service_type.h>
#include <grpcpp/resource_quota.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "common/log.h"
#include "common/status.h"

namespace carme {
namespace {

// Calls that block for Slurm, the directory or the disk at the same time; what
// is beyond gets RESOURCE_EXHAUSTED. Streams need none.
constexpr int kMostThreads = 256;
// Threads that wait for the next call instead of ending after the last one:
// gRPC's own bound is two, and then most calls cost a thread of their own.
constexpr int kMostIdleThreads = 16;
constexpr std::chrono::seconds kDrain{5};

}  // namespace

Serving::Serving(std::vector<StreamPump*> pumps) : pumps_(std::move(pumps)) {}

absl::StatusOr<std::unique_ptr<Serving>> Serving::Start(
    const TlsConfig& config, const ServerIdentity& identity, AccessGuard* guard,
    std::vector<StreamPump*> pumps,
    std::vector<std::unique_ptr<grpc::Service>> services) {
  std::unique_ptr<Serving> serving(new Serving(std::move(pumps)));
  serving->services_ = std::move(services);
  grpc::ServerBuilder builder;
  AddGuardedPorts(config, identity, *guard, &builder, &serving->ports_);
  grpc::ResourceQuota quota("carme-backend");
  builder.SetResourceQuota(quota.SetMaxThreads(kMostThreads));
  builder.SetSyncServerOption(grpc::ServerBuilder::MAX_POLLERS,
                              kMostIdleThreads);
  for (const auto& service : serving->services_) {
    builder.RegisterService(service.get());
  }
  for (StreamPump* pump : serving->pumps_) pump->Start();
  serving->server_ = builder.BuildAndStart();
  if (serving->server_ == nullptr || serving->ports_.clients == 0 ||
      serving->ports_.agents == 0) {
    return absl::UnavailableError(absl::StrCat("listen on \"", config.clients,
                                               "\" and \"", config.agents,
                                               "\": a port cannot be had"));
  }
  LogInfo("serving", {{"clients", config.clients},
                      {"clients_port", serving->ports_.clients},
                      {"agents", config.agents},
                      {"agents_port", serving->ports_.agents}});
  return serving;
}

Serving::~Serving() {
  for (StreamPump* pump : pumps_) {
    pump->EndAll(absl::UnavailableError("the backend is stopping: come again"));
  }
  if (server_ != nullptr) {
    server_->Shutdown(std::chrono::system_clock::now() + kDrain);
    server_->Wait();
  }
  for (StreamPump* pump : pumps_) pump->Stop();
}

}  // namespace carme
