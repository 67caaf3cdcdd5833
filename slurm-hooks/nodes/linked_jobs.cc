#include "slurm-hooks/nodes/linked_jobs.h"

#include <set>

#include "absl/strings/str_cat.h"
#include "common/printable.h"

namespace carme::node {
namespace {

void Append(v1::JobNode node, v1::Meet* meet) {
  node.set_rank(static_cast<uint32_t>(meet->nodes_size()));
  *meet->add_nodes() = std::move(node);
}

void AppendOwn(const OwnNodes& own, v1::Meet* meet) {
  for (const v1::JobNode& node : own.nodes) Append(node, meet);
}

void AppendOther(const carme::v1::JobMember& member, v1::Meet* meet) {
  for (const carme::v1::MemberNode& said : member.nodes()) {
    v1::JobNode node;
    node.set_name(said.name());
    node.set_address(said.address());
    node.set_cpus(said.cpus());
    node.set_gpus(said.gpus());
    node.set_gpu_list(said.gpu_list());
    node.set_ssh_port(said.ssh_port());
    node.set_host_key(member.host_key());
    Append(std::move(node), meet);
  }
  meet->add_user_keys(member.user_key());
}

}  // namespace

v1::Meet BuildOwnNodeList(const OwnNodes& own) {
  v1::Meet meet;
  AppendOwn(own, &meet);
  meet.set_master_port(own.master_port);
  return meet;
}

absl::StatusOr<v1::Meet> BuildNodeList(const carme::v1::JobFamily& family,
                                       const OwnNodes& own) {
  v1::Meet meet;
  bool with_own = false;
  for (const carme::v1::JobMember& member : family.members()) {
    const bool is_own = member.job_id() == own.job && !with_own;
    if (is_own) {
      AppendOwn(own, &meet);
    } else if (member.host_key().empty()) {
      return absl::InvalidArgumentError(
          "another job's nodes have no key: expected one");
    } else {
      AppendOther(member, &meet);
    }
    if (&member == &family.members(0)) {
      meet.set_master_port(is_own ? own.master_port : member.master_port());
    }
    with_own = with_own || is_own;
  }
  if (!with_own) {
    return absl::InvalidArgumentError(
        "the job is not among those that it has joined");
  }
  std::set<std::string> names;
  for (const v1::JobNode& node : meet.nodes()) {
    if (names.insert(node.name()).second) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("node \"", PlainText(node.name(), 64),
                     "\" is there twice: expected each once"));
  }
  return meet;
}

carme::v1::JobMember BuildJobMember(const OwnNodes& own,
                                    const v1::SshKeys& keys) {
  carme::v1::JobMember member;
  member.set_job_id(own.job);
  for (const v1::JobNode& node : own.nodes) {
    carme::v1::MemberNode* said = member.add_nodes();
    said->set_name(node.name());
    said->set_address(node.address());
    said->set_cpus(node.cpus());
    said->set_gpus(node.gpus());
    said->set_gpu_list(node.gpu_list());
    said->set_ssh_port(node.ssh_port());
  }
  member.set_user_key(keys.user_public());
  member.set_host_key(keys.host_public());
  member.set_master_port(own.master_port);
  return member;
}

absl::StatusOr<uint32_t> RankAmongAll(const v1::Meet& meet, uint32_t own_rank) {
  uint32_t own = 0;
  for (const v1::JobNode& node : meet.nodes()) {
    if (!node.host_key().empty()) continue;
    if (own++ == own_rank) return node.rank();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("node ", own_rank, " of the job, which has ", own));
}

}  // namespace carme::node
