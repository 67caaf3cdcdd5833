#include "slurm-hooks/nodes/linked_jobs.h"

#include <set>

#include "common/printable.h"
#include "slurm-hooks/nodes/messages.h"

namespace carme::node {
namespace {

void Append(v1::JobNode node, v1::NodeList* list) {
  node.set_rank(static_cast<uint32_t>(list->nodes_size()));
  *list->add_nodes() = std::move(node);
}

void AppendOwn(const OwnNodes& own, v1::NodeList* list) {
  for (const v1::JobNode& node : own.nodes) Append(node, list);
}

void AppendOther(const carme::v1::LinkedJob& job, v1::NodeList* list) {
  for (const carme::v1::LinkedNode& other : job.nodes()) {
    v1::JobNode node;
    node.set_name(other.name());
    node.set_address(other.address());
    node.set_cpus(other.cpus());
    node.set_gpus(other.gpus());
    node.set_gpu_list(other.gpu_list());
    node.set_ssh_port(other.ssh_port());
    node.set_host_key(job.host_key());
    Append(std::move(node), list);
  }
  list->add_user_keys(job.user_key());
}

}  // namespace

v1::NodeList BuildOwnNodeList(const OwnNodes& own) {
  v1::NodeList list;
  AppendOwn(own, &list);
  list.set_master_port(own.master_port);
  return list;
}

absl::StatusOr<v1::NodeList> BuildNodeList(const carme::v1::LinkedJobs& linked,
                                           const OwnNodes& own) {
  v1::NodeList list;
  bool with_own = false;
  for (const carme::v1::LinkedJob& job : linked.jobs()) {
    const bool is_own = job.job_id() == own.job && !with_own;
    if (is_own) {
      AppendOwn(own, &list);
    } else if (job.host_key().empty()) {
      return MakePlainError(node_messages::kHostKeyMissing);
    } else {
      AppendOther(job, &list);
    }
    if (&job == &linked.jobs(0)) {
      list.set_master_port(is_own ? own.master_port : job.master_port());
    }
    with_own = with_own || is_own;
  }
  if (!with_own) {
    return MakePlainError(node_messages::kOwnJobMissing);
  }
  std::set<std::string> names;
  for (const v1::JobNode& node : list.nodes()) {
    if (names.insert(node.name()).second) continue;
    return MakePlainError(node_messages::kNodeTwice,
                          {{"node", PlainText(node.name(), 64)}});
  }
  return list;
}

carme::v1::LinkedJob BuildLinkedJob(const OwnNodes& own,
                                    const v1::SshKeys& keys) {
  carme::v1::LinkedJob job;
  job.set_job_id(own.job);
  for (const v1::JobNode& node : own.nodes) {
    carme::v1::LinkedNode* reported = job.add_nodes();
    reported->set_name(node.name());
    reported->set_address(node.address());
    reported->set_cpus(node.cpus());
    reported->set_gpus(node.gpus());
    reported->set_gpu_list(node.gpu_list());
    reported->set_ssh_port(node.ssh_port());
  }
  job.set_user_key(keys.user_public());
  job.set_host_key(keys.host_public());
  job.set_master_port(own.master_port);
  return job;
}

std::vector<std::string> OwnNodeNames(const v1::NodeList& list) {
  std::vector<std::string> names;
  for (const v1::JobNode& node : list.nodes()) {
    if (node.host_key().empty()) names.push_back(node.name());
  }
  return names;
}

absl::StatusOr<uint32_t> RankOfOwnNode(const v1::NodeList& list,
                                       const std::string& name) {
  for (const v1::JobNode& node : list.nodes()) {
    if (node.host_key().empty() && node.name() == name) return node.rank();
  }
  return MakePlainError(node_messages::kNotOwnNode,
                        {{"node", PlainText(name, 64)}});
}

}  // namespace carme::node
