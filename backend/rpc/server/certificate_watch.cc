#include "backend/rpc/server/certificate_watch.h"

#include <utility>

#include "absl/time/clock.h"
#include "backend/rpc/server/messages.h"
#include "common/protobuf/message_error.h"

namespace carme::backend {
namespace {

// Warnings are about days, and reading certificates has a cost.
constexpr int kPollsPerWarning = 10;

}  // namespace

CertificateWatch::CertificateWatch(ServerIdentity* identity,
                                   ClientCertificates* clients,
                                   StreamDispatcher* dispatcher,
                                   std::string job_ca_pem, int warn_days)
    : identity_(*identity),
      clients_(*clients),
      dispatcher_(*dispatcher),
      job_ca_pem_(std::move(job_ca_pem)),
      warn_days_(warn_days),
      thread_("certificates", absl::Seconds(1), [this] { Poll(); }) {
  // Applies revocations before the first call.
  clients_.Use(identity_.revoked());
}

void CertificateWatch::Poll() {
  if (identity_.Refresh(&clients_)) {
    dispatcher_.EndOpen(
        MakeError(rpc_server_messages::kStreamCertificatesRevoked));
  }
  if (polls_++ % kPollsPerWarning == 0) warnings_.Check(Health(), absl::Now());
}

std::vector<CertificateHealth> CertificateWatch::Health() const {
  const absl::Time now = absl::Now();
  std::vector<CertificateHealth> all = identity_.Health(warn_days_, now);
  for (auto& part : {HealthOf("job CA", job_ca_pem_, warn_days_, now),
                     clients_.Seen(warn_days_, now)}) {
    all.insert(all.end(), part.begin(), part.end());
  }
  return all;
}

}  // namespace carme::backend
