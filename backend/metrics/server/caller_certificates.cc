#include "backend/metrics/server/caller_certificates.h"

#include <grpc/grpc_security_constants.h>
#include <grpcpp/server_context.h>

#include <utility>
#include <vector>

#include "backend/metrics/server/messages.h"
#include "common/pki/certificate.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::metrics {
namespace {

absl::Status NotAccepted(const std::string& cause) {
  return MakeError(server_messages::kNoCertificate, {{"cause", cause}});
}

}  // namespace

absl::StatusOr<CallerCertificate> CallerCertificates::Read(
    std::string_view pem) {
  const std::string key(pem);
  {
    absl::MutexLock lock(&mutex_);
    for (const Readings* readings : {&newer_, &older_}) {
      const auto found = readings->find(key);
      if (found != readings->end()) return found->second;
    }
  }
  const absl::StatusOr<CertificateFacts> facts = ReadCertificate(pem);
  if (!facts.ok()) return NotAccepted(StatusText(facts.status()));
  absl::StatusOr<MachineIdentity> identity = TheIdentity(facts->uris);
  if (!identity.ok()) return NotAccepted(StatusText(identity.status()));
  const CallerCertificate reading{.identity = *std::move(identity),
                                  .not_after = facts->not_after};
  absl::MutexLock lock(&mutex_);
  if (newer_.size() >= kMaxKnown / 2) {
    older_ = std::exchange(newer_, {});
  }
  newer_.emplace(key, reading);
  return reading;
}

absl::StatusOr<CallerCertificate> CallerCertificates::Of(
    const grpc::ServerContextBase& context) {
  const auto peer = context.auth_context();
  const std::vector<grpc::string_ref> leaf =
      peer->FindPropertyValues(GRPC_X509_PEM_CERT_PROPERTY_NAME);
  if (!peer->IsPeerAuthenticated() || leaf.size() != 1) {
    return NotAccepted(FormatMessage(server_messages::kNone));
  }
  return Read(std::string_view(leaf.front().data(), leaf.front().size()));
}

absl::Status CallerCertificate::CheckTime(absl::Time now) const {
  if (now < not_after) return absl::OkStatus();
  return NotAccepted(FormatMessage(server_messages::kExpired));
}

}  // namespace carme::metrics
