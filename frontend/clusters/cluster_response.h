// What a cluster may say in its responses: only something about itself.
#ifndef CARME_FRONTEND_CLUSTERS_CLUSTER_RESPONSE_H_
#define CARME_FRONTEND_CLUSTERS_CLUSTER_RESPONSE_H_

#include <string>

#include "absl/status/status.h"
#include "frontend/clusters/portal_clusters.h"

namespace google::protobuf {
class Message;
}

namespace carme::frontend {

// Sets `cluster` in each carme.v1.Job of the message, including nested ones.
void SetCluster(const std::string& name, google::protobuf::Message* response);

// INTERNAL: the response of a further cluster starts a session, or opens an
// address outside of the cluster's jobs domain.
absl::Status CheckFurther(const PortalCluster& cluster, bool starts_session,
                          const google::protobuf::Message& response);

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_CLUSTERS_CLUSTER_RESPONSE_H_
