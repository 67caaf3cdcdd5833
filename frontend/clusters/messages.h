// Errors of calls to one of several clusters.
#ifndef CARME_FRONTEND_CLUSTERS_MESSAGES_H_
#define CARME_FRONTEND_CLUSTERS_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::frontend::clusters_messages {

inline constexpr ErrorTemplate kOnlyOneCluster{
    absl::StatusCode::kInvalidArgument, "CLUSTERS_ONLY_ONE",
    "carme-cluster: this portal has one cluster; remove the header"};

inline constexpr ErrorTemplate kUnknownCluster{
    absl::StatusCode::kInvalidArgument, "CLUSTERS_UNKNOWN",
    "carme-cluster \"{name}\": expected one of: {known}"};

}  // namespace carme::frontend::clusters_messages

#endif  // CARME_FRONTEND_CLUSTERS_MESSAGES_H_
