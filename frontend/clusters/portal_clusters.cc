#include "frontend/clusters/portal_clusters.h"

#include "absl/strings/str_join.h"
#include "common/name_rules.h"
#include "common/protobuf/message_error.h"
#include "frontend/clusters/messages.h"

namespace carme::frontend {
namespace {

std::string Joined(const std::vector<PortalCluster>& clusters,
                   const char* separator) {
  return absl::StrJoin(clusters, separator,
                       [](std::string* out, const PortalCluster& cluster) {
                         out->append(cluster.name);
                       });
}

}  // namespace

absl::StatusOr<const PortalCluster*> PortalClusters::Find(
    std::string_view name) const {
  for (const PortalCluster& cluster : clusters_) {
    if (!name.empty() && cluster.name == name) return &cluster;
  }
  if (identity().name.empty()) {
    return MakeError(clusters_messages::kOnlyOneCluster);
  }
  return MakeError(clusters_messages::kUnknownCluster,
                   {{"name", kSlurmNameRule.Allows(name) ? name : "?"},
                    {"known", Joined(clusters_, ", ")}});
}

std::string PortalClusters::Names() const {
  return clusters_.size() == 1 ? "" : Joined(clusters_, ",");
}

}  // namespace carme::frontend
