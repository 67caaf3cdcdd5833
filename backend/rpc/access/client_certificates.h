// Maps a client certificate to a machine role. The TLS handshake has verified
// its chain; this class checks names, revocation and expiry.
#ifndef CARME_BACKEND_RPC_ACCESS_CLIENT_CERTIFICATES_H_
#define CARME_BACKEND_RPC_ACCESS_CLIENT_CERTIFICATES_H_

#include <map>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/pki/certificate.h"
#include "common/pki/expiry.h"
#include "common/pki/machine_identity.h"
#include "common/pki/revocations.h"

namespace carme::backend {

// The names in the machines' URIs: carme://frontend/<frontend>.
struct MachineNames {
  std::string frontend;
  std::string proxy;
  std::vector<std::string> clusters{};  // further ones
  std::string metrics{};                // carme-metrics; empty: none
};

// Used for every call, so that a revoked or expired certificate also stops
// working on open connections. Thread-safe.
class ClientCertificates {
 public:
  explicit ClientCertificates(MachineNames names);

  // `pem`: the leaf of a verified chain. PERMISSION_DENIED: not exactly one
  // URI, unknown machine, revoked or expired.
  absl::StatusOr<MachineRole> RoleOf(const std::string& pem, absl::Time now);

  // Replaces the revocations.
  void Use(Revocations revoked);

  // The newest accepted certificate of each machine.
  std::vector<CertificateHealth> Seen(int warn_days, absl::Time now) const;

 private:
  struct Known {
    CertificateFacts facts;
    absl::StatusOr<MachineIdentity> identity;
  };
  const Known& Find(const std::string& pem)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const MachineNames names_;
  mutable absl::Mutex mutex_;
  Revocations revoked_ ABSL_GUARDED_BY(mutex_);
  // By PEM text: parsing one costs more than the rest of the check.
  absl::flat_hash_map<std::string, Known> known_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, absl::Time> seen_ ABSL_GUARDED_BY(mutex_);  // by URI
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_ACCESS_CLIENT_CERTIFICATES_H_
