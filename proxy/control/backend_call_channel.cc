#include "proxy/control/backend_call_channel.h"

#include <grpcpp/grpcpp.h>

#include <utility>

#include "common/grpc/backend_credentials.h"
#include "common/status.h"

namespace carme::proxy {
namespace {

constexpr absl::Duration kRefreshInterval = absl::Seconds(10);

std::shared_ptr<grpc::Channel> NewChannel(const BackendEndpoint& backend,
                                          const TlsFiles& files) {
  grpc::ChannelArguments arguments;
  arguments.SetSslTargetNameOverride(backend.server_name);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 3000);
  // A new connection, because an existing one was verified with an older
  // revocation list.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return grpc::CreateCustomChannel(
      backend.address, BackendCredentials(files.material()), arguments);
}

}  // namespace

BackendCallChannel::BackendCallChannel(BackendEndpoint backend)
    : backend_(std::move(backend)) {
  Refresh();
  thread_.Start("backend-files", kRefreshInterval, [this] { Refresh(); });
}

BackendCallChannel::~BackendCallChannel() = default;

absl::StatusOr<std::shared_ptr<grpc::Channel>> BackendCallChannel::Channel()
    const {
  const absl::MutexLock lock(&mutex_);
  return channel_;
}

void BackendCallChannel::Refresh() {
  if (files_ && !files_->Refresh()) return;
  absl::StatusOr<std::shared_ptr<grpc::Channel>> channel;
  if (!files_) {
    absl::StatusOr<TlsFiles> files =
        TlsFiles::Open({backend_.certificate_file, backend_.key_file,
                        backend_.ca_file, backend_.crl_file});
    if (files.ok()) {
      files_.emplace(*std::move(files));
    } else {
      channel = files.status();
    }
  }
  if (files_) channel = NewChannel(backend_, *files_);
  const absl::MutexLock lock(&mutex_);
  channel_ = std::move(channel);
}

}  // namespace carme::proxy
