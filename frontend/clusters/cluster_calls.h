// Calls to the backends of the clusters.
#ifndef CARME_FRONTEND_CLUSTERS_CLUSTER_CALLS_H_
#define CARME_FRONTEND_CLUSTERS_CLUSTER_CALLS_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontend/backend/backend_channel.h"
#include "frontend/clusters/cluster_assertions.h"
#include "frontend/clusters/portal_clusters.h"

namespace carme::frontend {

// As BackendChannel, for all clusters. Calls to a further cluster have an
// assertion instead of the caller's credential. If the cluster refuses one of
// an earlier call, the call is made once more with a new one.
//
// UNAUTHENTICATED always comes from the identity backend. A further cluster
// that is away or refuses new assertions is UNAVAILABLE, and the message names
// it.
//
// Thread-safe.
class ClusterCalls {
 public:
  // `clusters` must outlive the object.
  explicit ClusterCalls(const PortalClusters* clusters)
      : clusters_(clusters), assertions_(clusters->identity().backend) {}

  absl::StatusOr<std::string> Call(const PortalCluster& cluster,
                                   const BackendCall& call,
                                   const std::string& request);

  absl::Status Stream(const PortalCluster& cluster, const BackendCall& call,
                      const std::string& request,
                      const std::function<bool(const std::string&)>& on_message,
                      const std::function<bool()>& ended);

  const PortalClusters& clusters() const { return *clusters_; }

  // After a call that may change or end the session of the caller.
  void DropAssertions(const std::string& credential);

 private:
  const PortalClusters* const clusters_;
  ClusterAssertions assertions_;
};

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_CLUSTERS_CLUSTER_CALLS_H_
