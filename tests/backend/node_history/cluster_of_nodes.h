// Nodes n1 to n10 that a test changes, and an impersonator that drains them.
#ifndef CARME_TESTS_BACKEND_NODE_HISTORY_CLUSTER_OF_NODES_H_
#define CARME_TESTS_BACKEND_NODE_HISTORY_CLUSTER_OF_NODES_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backend/slurm/cluster_detail.h"
#include "backend/slurm/node_updater.h"
#include "backend/slurm/scheduler.h"
#include "common/clock.h"

namespace carme::backend {

class FakeNodeCluster : public Scheduler, public NodeUpdater {
 public:
  explicit FakeNodeCluster(const Clock* clock) : clock_(*clock) {
    seen_.reachable = true;
    for (int i = 1; i <= 10; ++i) {
      SlurmNode node;
      node.name = absl::StrCat("n", i);
      node.up = node.has_feature = true;
      seen_.nodes.push_back(node);
      detail_.nodes[node.name].state.slurm = "IDLE";
    }
  }

  // What Slurm has, as of now.
  SlurmSnapshotPtr Snapshot() const override {
    SlurmSnapshot snapshot = seen_;
    snapshot.resources_asked_at = clock_.Now();
    snapshot.detail = std::make_shared<const ClusterDetail>(detail_);
    return std::make_shared<const SlurmSnapshot>(snapshot);
  }
  void OnPoll(std::function<void(const SlurmSnapshotPtr&)>) override {}
  void RefreshSoon() override {}

  absl::Status Drain(const PosixUser& user,
                     const std::vector<std::string>& nodes,
                     const std::string& reason, const std::string&) override {
    calls_.push_back(absl::StrCat("drain ", nodes.at(0), " as ", user.name));
    if (!answer_.ok()) return answer_;
    SetDrained(nodes.at(0),
               absl::StrCat("carme: ", reason, " [", user.name, "]"));
    return absl::OkStatus();
  }
  absl::Status Resume(const PosixUser& user,
                      const std::vector<std::string>& nodes,
                      const std::string&) override {
    calls_.push_back(absl::StrCat("resume ", nodes.at(0), " as ", user.name));
    if (!answer_.ok()) return answer_;
    detail_.nodes[nodes.at(0)] = {};
    detail_.nodes[nodes.at(0)].state.slurm = "IDLE";
    return absl::OkStatus();
  }

  void SetDrained(const std::string& node, const std::string& reason) {
    detail_.nodes[node].state.slurm = "IDLE+DRAIN";
    detail_.nodes[node].reason = reason;
  }
  std::string ReasonOf(const std::string& node) {
    return detail_.nodes[node].reason;
  }

  absl::Status answer_;
  std::vector<std::string> calls_;
  SlurmSnapshot seen_;
  ClusterDetail detail_;

 private:
  const Clock& clock_;
};

}  // namespace carme::backend

#endif  // CARME_TESTS_BACKEND_NODE_HISTORY_CLUSTER_OF_NODES_H_
