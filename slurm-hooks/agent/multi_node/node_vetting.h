// Vets the nodes of a job with `carme vet` before anything else starts on them.
// Nodes that are not used are returned to Slurm.
//
// Thread safety: used on the loop's thread only.
#ifndef CARME_SLURM_HOOKS_AGENT_MULTI_NODE_NODE_VETTING_H_
#define CARME_SLURM_HOOKS_AGENT_MULTI_NODE_NODE_VETTING_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "slurm-hooks/agent/job/job_facts.h"
#include "slurm-hooks/child_process/child_process.h"

namespace carme::agent {

struct VettedNodes {
  std::vector<std::string> variables;    // as if the job had these nodes only
  std::vector<std::string> other_nodes;  // without the node of this process
  std::string remark;  // which nodes are not healthy, and why; may be empty
};

class NodeVetting {
 public:
  // Called once. FAILED_PRECONDITION: too few healthy nodes, or the first one
  // is not healthy; UNAVAILABLE: vetting could not run.
  using OnDone = std::function<void(absl::StatusOr<VettedNodes> nodes)>;

  static absl::StatusOr<std::unique_ptr<NodeVetting>> Start(
      const JobFacts& facts, uint32_t required, OnDone on_done);
  ~NodeVetting();
  NodeVetting(const NodeVetting&) = delete;

  // Must be called for each SIGCHLD.
  void OnChild();

 private:
  NodeVetting(const JobFacts& facts, OnDone on_done);
  absl::StatusOr<VettedNodes> Result(int exit_code) const;

  const std::string node_;
  const std::string path_;  // "PATH=…" of the job; empty: it has none
  const std::string variables_path_;
  const std::string log_path_;
  OnDone on_done_;
  std::optional<node::ChildProcess> child_;
};

// What a person needs of the output of `carme vet`: the failures, without the
// verdict on each node.
std::string SummarizeVetting(std::string_view output);

// `variables` is the output of `env -0` in a job whose nodes were vetted.
// INVALID_ARGUMENT: `node` is not one of its nodes.
absl::StatusOr<VettedNodes> ReadVettedNodes(std::string_view variables,
                                            const std::string& node);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_MULTI_NODE_NODE_VETTING_H_
