#include "backend/rpc/access/client_certificates.h"

#include <algorithm>
#include <utility>

#include "backend/rpc/access/messages.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// Bounds the cache. Only certificates of the configured CA get here.
constexpr size_t kMaxKnown = 64;

// As in the report of certificates.
std::string ProgramOf(const std::string& uri) {
  if (uri.find("//proxy/") != std::string::npos) return "proxy";
  if (uri.find("//metrics/") != std::string::npos) return "metrics";
  if (uri.find("//cluster/") != std::string::npos) return "backend";
  return "frontend";
}

}  // namespace

ClientCertificates::ClientCertificates(MachineNames names)
    : names_(std::move(names)) {}

absl::StatusOr<MachineRole> ClientCertificates::RoleOf(const std::string& pem,
                                                       absl::Time now) {
  absl::MutexLock lock(&mutex_);
  const Known& known = Find(pem);
  RETURN_IF_ERROR(known.identity.status());
  const MachineIdentity& identity = *known.identity;
  const std::string uri = ToUri(identity);
  const bool is_ours =
      (identity.role == MachineRole::kFrontend &&
       identity.name == names_.frontend) ||
      (identity.role == MachineRole::kProxy && identity.name == names_.proxy) ||
      (identity.role == MachineRole::kMetrics &&
       identity.name == names_.metrics) ||
      (identity.role == MachineRole::kCluster &&
       std::find(names_.clusters.begin(), names_.clusters.end(),
                 identity.name) != names_.clusters.end());
  if (!is_ours) {
    return MakeError(access_messages::kCertificateOfAnother, {{"uri", uri}});
  }
  if (revoked_.Contains(known.facts.serial)) {
    return MakeError(access_messages::kCertificateRevoked,
                     {{"serial", known.facts.serial}, {"uri", uri}});
  }
  if (now >= known.facts.not_after) {
    return MakeError(access_messages::kCertificateExpired,
                     {{"serial", known.facts.serial}, {"uri", uri}});
  }
  absl::Time& seen = seen_[uri];
  seen = std::max(seen, known.facts.not_after);
  return identity.role;
}

const ClientCertificates::Known& ClientCertificates::Find(
    const std::string& pem) {
  const auto found = known_.find(pem);
  if (found != known_.end()) return found->second;
  if (known_.size() >= kMaxKnown) known_.clear();
  const absl::StatusOr<CertificateFacts> facts = ReadCertificate(pem);
  Known known{.facts = {},
              .identity = MakeError(access_messages::kNoCertificate)};
  if (facts.ok()) {
    known = {.facts = *facts, .identity = TheIdentity(facts->uris)};
  }
  return known_.emplace(pem, std::move(known)).first->second;
}

void ClientCertificates::Use(Revocations revoked) {
  absl::MutexLock lock(&mutex_);
  revoked_ = std::move(revoked);
}

std::vector<CertificateHealth> ClientCertificates::Seen(int warn_days,
                                                        absl::Time now) const {
  absl::MutexLock lock(&mutex_);
  std::vector<CertificateHealth> health;
  for (const auto& [uri, not_after] : seen_) {
    health.push_back({.program = ProgramOf(uri),
                      .name = uri,
                      .not_after = not_after,
                      .soon = not_after < now + absl::Hours(24) * warn_days});
  }
  return health;
}

}  // namespace carme::backend
