#include "frontend/cluster_connections.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/pki/tls_files.h"
#include "common/status.h"
#include "frontend/backend/backend_channel.h"
#include "frontend/backend/backend_client.h"

namespace carme::frontend {
namespace {

// Of carme-metrics: the series of a job, and exports.
constexpr int kMaxMetricsBytes = 256 << 20;

BackendOptions OptionsWith(const FrontendConfig::FurtherCluster& cluster,
                           const TlsMaterial& tls) {
  BackendOptions options{.address = cluster.backend.address,
                         .server_name = cluster.backend.server_name,
                         .tls = tls};
  if (cluster.name == kMetricsName) {
    options.max_response_bytes = kMaxMetricsBytes;
  }
  return options;
}

}  // namespace

struct ClusterConnections::Connection {
  Connection(FrontendConfig::FurtherCluster config_in, TlsFiles files_in)
      : config(std::move(config_in)),
        files(std::move(files_in)),
        client(OptionsWith(config, files.material())),
        channel(&client) {}

  const FrontendConfig::FurtherCluster config;
  TlsFiles files;
  BackendClient client;
  BackendChannel channel;
};

ClusterConnections::ClusterConnections(
    std::vector<std::unique_ptr<Connection>> connections)
    : connections_(std::move(connections)) {}
ClusterConnections::ClusterConnections(ClusterConnections&&) noexcept = default;
ClusterConnections::~ClusterConnections() = default;

absl::StatusOr<ClusterConnections> ClusterConnections::Open(
    const FrontendConfig& config) {
  std::vector<FrontendConfig::FurtherCluster> clusters = config.clusters;
  clusters.insert(
      clusters.begin(),
      {.name = config.cluster, .jobs_domain = "", .backend = config.backend});
  std::vector<std::unique_ptr<Connection>> connections;
  for (FrontendConfig::FurtherCluster& cluster : clusters) {
    ASSIGN_OR_RETURN(
        TlsFiles files,
        TlsFiles::OpenValid({cluster.backend.certificate, cluster.backend.key,
                             cluster.backend.ca, cluster.backend.crl},
                            absl::Now()));
    connections.push_back(
        std::make_unique<Connection>(std::move(cluster), std::move(files)));
  }
  ClusterConnections made(std::move(connections));
  if (!config.metrics.address.empty()) {
    ASSIGN_OR_RETURN(
        TlsFiles files,
        TlsFiles::OpenValid({config.metrics.certificate, config.metrics.key,
                             config.metrics.ca, config.metrics.crl},
                            absl::Now()));
    made.metrics_ = std::make_unique<Connection>(
        FrontendConfig::FurtherCluster{
            .name = kMetricsName, .jobs_domain = "", .backend = config.metrics},
        std::move(files));
  }
  return made;
}

BackendChannel* ClusterConnections::metrics() const {
  return metrics_ == nullptr ? nullptr : &metrics_->channel;
}

std::vector<PortalCluster> ClusterConnections::Clusters() const {
  std::vector<PortalCluster> clusters;
  for (const std::unique_ptr<Connection>& connection : connections_) {
    clusters.push_back({.name = connection->config.name,
                        .jobs_domain = connection->config.jobs_domain,
                        .backend = &connection->channel});
  }
  return clusters;
}

void ClusterConnections::Refresh() {
  const auto refresh = [](Connection* connection) {
    if (connection == nullptr || !connection->files.Refresh()) return;
    connection->client.Use(
        OptionsWith(connection->config, connection->files.material()));
  };
  for (const std::unique_ptr<Connection>& connection : connections_) {
    refresh(connection.get());
  }
  refresh(metrics_.get());
}

std::vector<CertificateHealth> ClusterConnections::Certificates(
    absl::Time now) const {
  std::vector<CertificateHealth> all;
  const FrontendConfig::Backend& first = connections_.front()->config.backend;
  for (const std::unique_ptr<Connection>& connection : connections_) {
    const FrontendConfig::Backend& config = connection->config.backend;
    const TlsMaterial& tls = connection->files.material();
    const bool is_first = connection == connections_.front();
    // Files that clusters share are reported once.
    if (is_first || config.certificate != first.certificate) {
      const std::string owner =
          is_first ? "frontend"
                   : absl::StrCat("frontend-", connection->config.name);
      for (CertificateHealth& health :
           HealthOf(owner, tls.certificate, config.expiry_warn_days, now)) {
        all.push_back(std::move(health));
      }
    }
    if (is_first || config.crl != first.crl) {
      for (CertificateHealth& list : HealthOfList(tls.revoked, tls.ca, now)) {
        all.push_back(std::move(list));
      }
    }
  }
  return all;
}

}  // namespace carme::frontend
