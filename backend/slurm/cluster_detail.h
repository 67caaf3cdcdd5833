// Data of Slurm that only the cluster page needs, beside the snapshot.
#ifndef CARME_BACKEND_SLURM_CLUSTER_DETAIL_H_
#define CARME_BACKEND_SLURM_CLUSTER_DETAIL_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "carme/v1/cluster_utilization.pb.h"

namespace carme::backend {

struct NodeState {
  v1::NodeCondition condition = v1::NODE_CONDITION_UNSPECIFIED;
  std::string text{};   // for users, without the node's name
  std::string slurm{};  // Slurm's state: "MIXED+DRAIN"
  friend bool operator==(const NodeState&, const NodeState&) = default;
};

struct NodeDetail {
  NodeState state{};
  std::string reason{};  // set by an administrator; may be empty
  absl::Time reason_since = absl::InfinitePast();
  friend bool operator==(const NodeDetail&, const NodeDetail&) = default;
};

// GPUs that a running job releases at the end of its walltime.
struct GpuRelease {
  absl::Time at;  // InfiniteFuture: unlimited walltime
  std::string type;
  int count = 0;
};

// Immutable once published.
struct ClusterDetail {
  std::map<std::string, NodeDetail> nodes{};  // by name
  std::vector<GpuRelease> releases{};         // by time
  std::map<std::string, int> running{};       // jobs, by partition
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_CLUSTER_DETAIL_H_
