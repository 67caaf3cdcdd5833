#include "slurm-hooks/agent/control/backend_connection.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/file.h"
#include "common/log.h"
#include "common/pki/certificate.h"
#include "common/status.h"
#include "slurm-hooks/agent/control/messages.h"

namespace carme::agent {
namespace {

std::shared_ptr<grpc::Channel> NewChannel(const BackendAddress& backend,
                                          const std::string& ca_pem) {
  grpc::ChannelArguments arguments;
  arguments.SetSslTargetNameOverride(backend.name);
  // The user's environment must not redirect this connection to another proxy.
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 50);
  // This is also the timeout of a connection attempt.
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 5000);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  grpc::SslCredentialsOptions tls;
  tls.pem_root_certs = ca_pem;
  return grpc::CreateCustomChannel(backend.address, grpc::SslCredentials(tls),
                                   arguments);
}

}  // namespace

BackendConnection::BackendConnection(BackendAddress backend)
    : backend_(std::move(backend)), watch_({backend_.ca_file}) {}

absl::StatusOr<std::unique_ptr<BackendConnection>> BackendConnection::Open(
    BackendAddress backend) {
  std::unique_ptr<BackendConnection> channel(
      new BackendConnection(std::move(backend)));
  absl::MutexLock lock(&channel->mutex_);
  RETURN_IF_ERROR(channel->Read());
  return channel;
}

absl::Status BackendConnection::Read() {
  const absl::StatusOr<std::string> read = ReadFile(backend_.ca_file);
  if (absl::IsNotFound(read.status())) {
    return MakePlainError(agent_control_messages::kAuthorityMissing,
                          {{"cause", read.status().message()}});
  }
  ASSIGN_OR_RETURN(const std::string ca_pem, read);
  RETURN_IF_ERROR(Annotate(ReadCertificate(ca_pem).status(),
                           absl::StrCat("\"", backend_.ca_file, "\"")));
  channel_ = NewChannel(backend_, ca_pem);
  return absl::OkStatus();
}

std::shared_ptr<grpc::Channel> BackendConnection::Get() {
  absl::MutexLock lock(&mutex_);
  if (watch_.Changed()) {
    const absl::Status read = Read();
    if (read.ok()) {
      LogInfo("backend authorities reloaded");
    } else {
      LogWarning("backend authorities not reloaded, keeping the old ones",
                 {{"error", read.ToString()}});
    }
  }
  return channel_;
}

absl::Status BackendConnection::NoConnection() const {
  return MakePlainError(
      agent_control_messages::kNoConnection,
      {{"address", backend_.address}, {"name", backend_.name}});
}

}  // namespace carme::agent
