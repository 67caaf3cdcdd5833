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
constexpr std::chrono::seconds kDrain{5};

}  // namespace

Serving::Serving(StreamPump* pump) : pump_(*pump) {}

absl::StatusOr<std::unique_ptr<Serving>> Serving::Start(
    const TlsConfig& config, const ServerIdentity& identity,
    AccessGuard* guard, StreamPump* pump,
    std::vector<std::unique_ptr<grpc::Service>> services) {
  std::unique_ptr<Serving> serving(new Serving(pump));
  serving->services_ = std::move(services);
  grpc::ServerBuilder builder;
  AddGuardedPorts(config, identity, *guard, &builder, &serving->ports_);
  grpc::ResourceQuota quota("carme-backend");
  builder.SetResourceQuota(quota.SetMaxThreads(kMostThreads));
  for (const auto& service : serving->services_) {
    builder.RegisterService(service.get());
  }
  pump->Start();
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
  pump_.EndAll(absl::UnavailableError("the backend is stopping: come again"));
  if (server_ != nullptr) {
    server_->Shutdown(std::chrono::system_clock::now() + kDrain);
    server_->Wait();
  }
  pump_.Stop();
}

}  // namespace carme
