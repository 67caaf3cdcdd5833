// Translates between Connect (browser) and gRPC (backend). Everything about a
// method comes from its descriptor.
//
// Thread-safe. Its parts must outlive it.
#ifndef CARME_FRONTEND_GATEWAY_GATEWAY_H_
#define CARME_FRONTEND_GATEWAY_GATEWAY_H_

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "common/concurrency/concurrency_limiter.h"
#include "frontend/backend/backend_channel.h"
#include "frontend/clusters/cluster_calls.h"
#include "frontend/clusters/merged_jobs.h"
#include "frontend/clusters/portal_clusters.h"
#include "frontend/gateway/batch_request.h"
#include "frontend/gateway/method_table.h"
#include "frontend/http/http_message.h"
#include "frontend/http/portal_origin.h"

namespace carme::frontend {

// Concurrent streams, in total and per session. A stream uses a thread as long
// as its page is open, so the limit is well below that of connections. The key
// is a digest of the session's token.
using StreamLimiter = ConcurrencyLimiter<std::string>;

// A batch that passed the checks of its request. Each call has its own.
struct CheckedBatch {
  std::string session;  // its token
  std::vector<BatchedCall> calls;
};

class Gateway {
 public:
  Gateway(const PortalOrigin& portal, const MethodTable* methods,
          ClusterCalls* calls, StreamLimiter* streams);

  // Handles a POST. Blocks for the duration of a unary call. A streaming call
  // runs in `stream` of the response.
  HttpResponse Answer(const HttpRequest& request,
                      const std::string& request_id) const;
  // Checks a POST to kBatchPath, or returns the error for its client.
  std::variant<CheckedBatch, HttpResponse> CheckBatch(
      const HttpRequest& request, const std::string& request_id) const;

 private:
  // The error of a request that must not be processed, whatever it calls.
  std::optional<HttpError> CheckSource(const HttpRequest& request,
                                       const std::string& request_id) const;
  HttpResponse AnswerUnary(const Method& method, const HttpRequest& request,
                           const std::string& request_id) const;
  HttpResponse AnswerStream(const Method& method, const HttpRequest& request,
                            const std::string& request_id) const;
  // Held until the last owner is destroyed. RESOURCE_EXHAUSTED: limit of the
  // session. UNAVAILABLE: limit of the portal.
  absl::StatusOr<std::shared_ptr<StreamLimiter::Slot>> AcquireStreamSlot(
      const std::string& credential) const;
  // Whether the request lists the jobs of all clusters.
  bool IsMerged(const Method& method, const HttpHeaders& headers) const;
  // The cluster that the request names, or the identity backend's.
  // INVALID_ARGUMENT.
  absl::StatusOr<const PortalCluster*> ClusterOf(
      const Method& method, const HttpHeaders& headers) const;
  absl::Status RunStream(const Method& method, const PortalCluster& cluster,
                         const BackendCall& call, const std::string& message,
                         HttpStream* out) const;

  const PortalOrigin portal_;
  const MethodTable* const methods_;
  ClusterCalls* const calls_;
  const std::unique_ptr<MergedJobs> merged_jobs_;  // null: one cluster
  StreamLimiter* const streams_;
};

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_GATEWAY_GATEWAY_H_
