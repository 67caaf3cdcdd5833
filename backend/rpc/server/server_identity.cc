#include "backend/rpc/server/server_identity.h"

#include <grpcpp/security/tls_certificate_provider.h>

#include <utility>

#include "absl/time/clock.h"
#include "common/file.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr unsigned kLookEvery_s = 1;

}  // namespace

ServerIdentity::ServerIdentity(TlsFiles files,
                               const std::string& state_directory)
    : identity_copy_(state_directory + "/tls_identity.pem"),
      roots_copy_(state_directory + "/tls_client_ca.pem"),
      files_(std::move(files)) {}

absl::StatusOr<std::unique_ptr<ServerIdentity>> ServerIdentity::Open(
    const TlsConfig& config, const std::string& state_directory) {
  ASSIGN_OR_RETURN(TlsFiles files,
                   TlsFiles::OpenValid({config.certificate, config.key,
                                        config.client_ca, config.client_crl},
                                       absl::Now()));
  std::unique_ptr<ServerIdentity> identity(
      new ServerIdentity(std::move(files), state_directory));
  absl::MutexLock lock(&identity->mutex_);
  RETURN_IF_ERROR(identity->WriteCopies());
  identity->TakeAuthorities();
  identity->provider_ =
      std::make_shared<grpc::experimental::FileWatcherCertificateProvider>(
          identity->identity_copy_, identity->identity_copy_,
          identity->roots_copy_, kLookEvery_s);
  return identity;
}

// Key and certificates in one file, so that it is replaced atomically: each
// reader skips the part of the other.
absl::Status ServerIdentity::WriteCopies() const {
  const TlsMaterial& now = files_.material();
  RETURN_IF_ERROR(
      WriteFile(identity_copy_, now.key + "\n" + now.certificate, 0600));
  return WriteFile(roots_copy_, now.ca, 0600);
}

bool ServerIdentity::Refresh(ClientCertificates* clients) {
  absl::MutexLock lock(&mutex_);
  const Revocations before = files_.material().revoked;
  const bool is_new = files_.Refresh();
  if (!is_new && copied_) return false;
  const absl::Status written = WriteCopies();
  copied_ = written.ok();
  if (!copied_ && is_new) {
    LogError("certificate reload failed, keeping the current one",
             {{"error", StatusText(written)}});
  }
  clients->Use(files_.material().revoked);
  TakeAuthorities();
  return files_.material().revoked != before;
}

std::shared_ptr<const ClientAuthorities> ServerIdentity::client_authorities()
    const {
  absl::MutexLock lock(&mutex_);
  return authorities_;
}

void ServerIdentity::TakeAuthorities() {
  const TlsMaterial& now = files_.material();
  if (authorities_ != nullptr && authorities_->ca_pem == now.ca &&
      authorities_->crl_pem == now.crl) {
    return;
  }
  authorities_ = std::make_shared<const ClientAuthorities>(
      ClientAuthorities{now.ca, now.crl});
}

Revocations ServerIdentity::revoked() const {
  absl::MutexLock lock(&mutex_);
  return files_.material().revoked;
}

std::vector<CertificateHealth> ServerIdentity::Health(int warn_days,
                                                      absl::Time now) const {
  absl::MutexLock lock(&mutex_);
  std::vector<CertificateHealth> health =
      HealthOf("backend", files_.material().certificate, warn_days, now);
  for (const auto& more :
       {HealthOf("authority", files_.material().ca, warn_days, now),
        HealthOfList(files_.material().revoked, files_.material().ca, now)}) {
    health.insert(health.end(), more.begin(), more.end());
  }
  return health;
}

}  // namespace carme::backend
