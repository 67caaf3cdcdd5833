// The connections to the backends of all clusters, with their certificates.
#ifndef CARME_FRONTEND_CLUSTER_CONNECTIONS_H_
#define CARME_FRONTEND_CLUSTER_CONNECTIONS_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/pki/expiry.h"
#include "frontend/clusters/portal_clusters.h"
#include "frontend/config.h"

namespace carme::frontend {

// Only Refresh() and Certificates() are not thread-safe.
class ClusterConnections {
 public:
  // The errors of the files; those of a further cluster's own files, too.
  static absl::StatusOr<ClusterConnections> Open(const FrontendConfig& config);
  ClusterConnections(ClusterConnections&&) noexcept;
  ~ClusterConnections();

  // The clusters, the identity backend's first. They refer to this object.
  std::vector<PortalCluster> Clusters() const;

  // carme-metrics; null: none is configured.
  BackendChannel* metrics() const;

  // Uses files that have changed since the last call.
  void Refresh();
  std::vector<CertificateHealth> Certificates(absl::Time now) const;

 private:
  struct Connection;
  explicit ClusterConnections(
      std::vector<std::unique_ptr<Connection>> connections);
  std::vector<std::unique_ptr<Connection>> connections_;
  std::unique_ptr<Connection> metrics_;
};

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_CLUSTER_CONNECTIONS_H_
