// Whom the certificates of callers name. Agents call every few seconds, with
// the same certificate for the whole job: what it says is read once.
#ifndef CARME_BACKEND_METRICS_SERVER_CALLER_CERTIFICATES_H_
#define CARME_BACKEND_METRICS_SERVER_CALLER_CERTIFICATES_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/time.h"
#include "common/pki/machine_identity.h"

namespace grpc {
class ServerContextBase;
}  // namespace grpc

namespace carme::metrics {

struct CallerCertificate {
  MachineIdentity identity;
  absl::Time not_after;

  // PERMISSION_DENIED: it has expired.
  absl::Status CheckTime(absl::Time now) const;
};

// Thread-safe.
class CallerCertificates {
 public:
  // About 2 KiB each; the oldest ones are forgotten, and read again.
  static constexpr size_t kMaxKnown = 8192;

  // The certificate of the caller, which the handshake verified.
  // PERMISSION_DENIED: no certificate, or not exactly one URI of Carme.
  absl::StatusOr<CallerCertificate> Of(const grpc::ServerContextBase& context);

 private:
  using Readings = absl::flat_hash_map<std::string, CallerCertificate>;

  absl::StatusOr<CallerCertificate> Read(std::string_view pem);

  absl::Mutex mutex_;
  // By PEM. When `newer_` has half of kMaxKnown, it becomes `older_`.
  Readings newer_ ABSL_GUARDED_BY(mutex_);
  Readings older_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_SERVER_CALLER_CERTIFICATES_H_
