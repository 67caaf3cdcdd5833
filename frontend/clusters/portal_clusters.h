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

// The name of carme-metrics in assertions; no cluster can have it.
inline constexpr char kMetricsName[] = "program:metrics";

class PortalClusters {
 public:
  // The first one is that of the identity backend, which has all sessions and
  // access tokens. REQUIRES: not empty.
  // `metrics`: carme-metrics of the first cluster; null: there is none.
  explicit PortalClusters(std::vector<PortalCluster> clusters,
                          BackendChannel* metrics = nullptr)
      : clusters_(std::move(clusters)),
        metrics_{.name = kMetricsName, .jobs_domain = "", .backend = metrics} {}

  const PortalCluster& identity() const { return clusters_.front(); }
  bool IsFurther(const PortalCluster& cluster) const {
    return &cluster != &clusters_.front();
  }
  // The server of MetricsService, which is called as a further cluster is;
  // null: there is none.
  const PortalCluster* metrics() const {
    return metrics_.backend == nullptr ? nullptr : &metrics_;
  }
  const std::vector<PortalCluster>& all() const { return clusters_; }

  // INVALID_ARGUMENT: another name; the message has the known ones.
  absl::StatusOr<const PortalCluster*> Find(std::string_view name) const;

  // "alpha,beta" for pages; empty: there is one cluster.
  std::string Names() const;

 private:
  const std::vector<PortalCluster> clusters_;
  const PortalCluster metrics_;
};

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_CLUSTERS_PORTAL_CLUSTERS_H_
