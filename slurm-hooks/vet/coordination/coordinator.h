// Vets several nodes together: tells the workers what to run, measures what is
// between nodes, and decides which nodes are healthy.
#ifndef CARME_SLURM_HOOKS_VET_COORDINATION_COORDINATOR_H_
#define CARME_SLURM_HOOKS_VET_COORDINATION_COORDINATOR_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "carme/node/v1/vet.pb.h"
#include "common/unique_fd.h"
#include "slurm-hooks/vet/config/baseline.h"
#include "slurm-hooks/vet/config/vet_config.h"
#include "slurm-hooks/vet/coordination/handshake.h"
#include "slurm-hooks/vet/coordination/link_matrix.h"

namespace carme::vet {

struct CoordinatorOptions {
  std::vector<std::string> nodes;  // names in Slurm, by rank
  std::string config;              // the file's text
  std::string config_path;         // for messages
  std::optional<absl::Duration> default_timeout;
  absl::Duration connect_timeout = absl::Seconds(60);
  RunIdentity identity;
  UniqueFd listener;  // invalid: no worker connects
  UniqueFd local;     // a socket to the worker of rank 0; invalid: none
  std::string local_key;
  // Looked at while waiting: the step that starts the workers has ended.
  std::function<bool()> is_step_over = [] { return false; };
};

struct NodeReport {
  std::string host{};
  std::string node_type{};
  // One for each evaluation of the configuration.
  std::vector<node::v1::VetResult> results{};
  // All that failed are links, and each could be due to the other end.
  bool is_bad_by_links_alone = false;

  bool is_healthy() const;
};

struct VetRun {
  VetConfig config;
  std::vector<NodeReport> nodes;
  std::vector<Link> links;         // all that were measured
  std::vector<BadLink> bad_links;  // due to neither of their ends for certain
  size_t rounds = 0;               // of links

  // Positions of nodes between which all is healthy.
  std::vector<size_t> Healthy() const;
};

// Blocks. INVALID_ARGUMENT: the configuration or a baseline; UNAVAILABLE: no
// node at all has connected. Otherwise a node that does not connect, or is
// lost, is unhealthy and no error.
absl::StatusOr<VetRun> Coordinate(CoordinatorOptions options);

// The offset of each clock from the median (with two nodes, from the first).
std::vector<double> OffsetsFromMedian(std::vector<double> offsets);

// Why a node is slower than the baseline of its type; empty: it is not.
// `found` is false if the baseline does not have the type.
std::string CompareWithBaseline(const Baseline& baseline,
                                const NodeMeasurement& node, double min_ratio,
                                bool* found);

}  // namespace carme::vet

#endif  // CARME_SLURM_HOOKS_VET_COORDINATION_COORDINATOR_H_
