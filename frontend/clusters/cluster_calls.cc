#include "frontend/clusters/cluster_calls.h"

#include "common/log.h"
#include "common/protobuf/error_details.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"
#include "frontend/backend/messages.h"
#include "frontend/clusters/messages.h"

namespace carme::frontend {
namespace {

// A new assertion may be accepted: it also has a confirmation of the second
// factor that another frontend received.
bool NeedsNewAssertion(const absl::Status& status) {
  return absl::IsUnauthenticated(status) ||
         ErrorReason(status) == "REAUTHENTICATION_REQUIRED";
}

// The failure of a further cluster, with its name. The session is the identity
// backend's alone, so that UNAUTHENTICATED becomes another error.
// In a stream that has begun it is the end of the session, as a rule.
absl::Status FailureOf(const PortalCluster& cluster, const BackendCall& call,
                       const absl::Status& status, bool has_begun = false) {
  const std::string reason = ErrorReason(status);
  if (cluster.name == kMetricsName) {
    if (reason == backend_connection_messages::kUnreachable.reason ||
        reason == backend_connection_messages::kLate.reason) {
      return MakeError(clusters_messages::kMetricsUnreachable);
    }
    // Whether the session has ended, only the identity backend says.
    return absl::IsUnauthenticated(status)
               ? MakeError(clusters_messages::kMetricsRefused)
               : status;
  }
  if (reason == backend_connection_messages::kUnreachable.reason) {
    return MakeError(clusters_messages::kUnreachable,
                     {{"cluster", cluster.name}});
  }
  if (reason == backend_connection_messages::kLate.reason) {
    return MakeError(clusters_messages::kLate, {{"cluster", cluster.name}});
  }
  if (!absl::IsUnauthenticated(status)) return status;
  if (!has_begun) {
    LogWarning("cluster refused an assertion of the identity backend",
               {{"request", call.request_id},
                {"cluster", cluster.name},
                {"error", std::string(status.message())}});
  }
  return MakeError(clusters_messages::kAssertionRefused,
                   {{"cluster", cluster.name}});
}

}  // namespace

absl::StatusOr<std::string> ClusterCalls::Call(const PortalCluster& cluster,
                                               const BackendCall& call,
                                               const std::string& request) {
  if (!clusters_->IsFurther(cluster)) {
    return cluster.backend->Call(call, request);
  }
  for (bool again = true;; again = false) {
    ASSIGN_OR_RETURN(const ClusterAssertions::Authorized authorized,
                     assertions_.Authorize(call, cluster.name));
    absl::StatusOr<std::string> response =
        cluster.backend->Call(authorized.call, request);
    if (response.ok()) return response;
    const bool refused = NeedsNewAssertion(response.status());
    if (refused) assertions_.Drop(call.credential);
    if (refused && authorized.cached && again) continue;
    return FailureOf(cluster, call, response.status());
  }
}

absl::Status ClusterCalls::Stream(
    const PortalCluster& cluster, const BackendCall& call,
    const std::string& request,
    const std::function<bool(const std::string&)>& on_message,
    const std::function<bool()>& ended) {
  if (!clusters_->IsFurther(cluster)) {
    return cluster.backend->Stream(call, request, on_message, ended);
  }
  for (bool again = true;; again = false) {
    ASSIGN_OR_RETURN(const ClusterAssertions::Authorized authorized,
                     assertions_.Authorize(call, cluster.name));
    bool received = false;
    const absl::Status status = cluster.backend->Stream(
        authorized.call, request,
        [&](const std::string& message) {
          received = true;
          return on_message(message);
        },
        ended);
    if (status.ok()) return status;
    const bool refused = NeedsNewAssertion(status);
    if (refused) assertions_.Drop(call.credential);
    if (refused && authorized.cached && again && !received) continue;
    return FailureOf(cluster, call, status, received);
  }
}

void ClusterCalls::DropAssertions(const std::string& credential) {
  if (clusters_->all().size() > 1 || clusters_->metrics() != nullptr) {
    assertions_.Drop(credential);
  }
}

}  // namespace carme::frontend
