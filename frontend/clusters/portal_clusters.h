// The clusters behind the portal, each with a backend of its own.
//
// Immutable and thread-safe.
#ifndef CARME_FRONTEND_CLUSTERS_PORTAL_CLUSTERS_H_
#define CARME_FRONTEND_CLUSTERS_PORTAL_CLUSTERS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "frontend/backend/backend_channel.h"

namespace carme::frontend {

struct PortalCluster {
  std::string name;  // empty: the only cluster, without a name
  // Of a further cluster, host[:port]: the addresses of its apps are in it.
  std::string jobs_domain;
  BackendChannel* backend = nullptr;  // must outlive the object
};

class PortalClusters {
 public:
  // The first one is that of the identity backend, which has all sessions and
  // access tokens. REQUIRES: not empty.
  explicit PortalClusters(std::vector<PortalCluster> clusters)
      : clusters_(std::move(clusters)) {}

  const PortalCluster& identity() const { return clusters_.front(); }
  bool IsFurther(const PortalCluster& cluster) const {
    return &cluster != &clusters_.front();
  }
  const std::vector<PortalCluster>& all() const { return clusters_; }

  // INVALID_ARGUMENT: another name; the message has the known ones.
  absl::StatusOr<const PortalCluster*> Find(std::string_view name) const;

  // "alpha,beta" for pages; empty: there is one cluster.
  std::string Names() const;

 private:
  const std::vector<PortalCluster> clusters_;
};

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_CLUSTERS_PORTAL_CLUSTERS_H_
