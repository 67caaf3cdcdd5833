// Who calls through the portal: the frontend's certificate says which machine,
// an assertion of the identity backend which person.
#ifndef CARME_BACKEND_METRICS_SERVER_PORTAL_CALLERS_H_
#define CARME_BACKEND_METRICS_SERVER_PORTAL_CALLERS_H_

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "backend/clusters/assertion.h"
#include "backend/identity/session.h"
#include "backend/metrics/jobs/metrics_access_client.h"
#include "backend/rpc/access/client_certificates.h"
#include "carme/v1/metrics_access.pb.h"

namespace grpc {
class ServerContextBase;
}

namespace carme::metrics {

// Thread-safe.
class PortalCallers {
 public:
  static constexpr int kMaxIds = 100;

  // `link` asks the backend; both must outlive the object.
  PortalCallers(std::string frontend_name, MetricsAccessClient* link);

  // The key of the identity backend, 32 bytes. Until it is set, and for another
  // length, no person is accepted.
  void SetAssertionKey(const std::string& key);
  // Replaces the revoked certificates.
  backend::ClientCertificates* certificates() { return &certificates_; }

  // The record of a job that the caller may see; `method` is the path of the
  // rpc, whose scope an access token needs. PERMISSION_DENIED: not the
  // frontend, or the scope is missing; UNAUTHENTICATED: no valid assertion, or
  // its session has ended; NOT_FOUND: no such job, or not for this person;
  // UNAVAILABLE: the backend cannot be asked. Blocks for the backend.
  absl::StatusOr<v1::MeasuredJob> JobFor(const grpc::ServerContextBase& context,
                                         const std::string& method,
                                         const std::string& job);
  // The same, if the caller is the job's owner; else PERMISSION_DENIED.
  absl::StatusOr<v1::MeasuredJob> OwnJobFor(
      const grpc::ServerContextBase& context, const std::string& method,
      const std::string& job);
  // Those of `ids` that exist and that the caller may see. INVALID_ARGUMENT:
  // not 1 to kMaxIds ids of jobs.
  absl::StatusOr<std::vector<v1::MeasuredJob>> JobsAmong(
      const grpc::ServerContextBase& context, const std::string& method,
      const std::set<std::string>& ids);
  // The caller's username. The errors of JobFor() but NOT_FOUND. Does not
  // block.
  absl::StatusOr<std::string> NameOf(const grpc::ServerContextBase& context,
                                     const std::string& method);
  // All jobs of the caller.
  absl::StatusOr<std::vector<v1::MeasuredJob>> JobsOf(
      const grpc::ServerContextBase& context, const std::string& method);

 private:
  absl::StatusOr<backend::Session> SessionOf(
      const grpc::ServerContextBase& context, const std::string& method);
  absl::StatusOr<v1::AuthorizeMetricsResponse> Authorize(
      const grpc::ServerContextBase& context, const std::string& method,
      const std::string& job);

  MetricsAccessClient* const link_;
  backend::ClientCertificates certificates_;
  absl::Mutex mutex_;
  std::optional<backend::AssertionVerifier> verifier_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_SERVER_PORTAL_CALLERS_H_
