// Drains nodes, and resumes nodes that were drained here. Runs as SlurmUser,
// because Slurm allows only its operators to do it. The limits of this
// program's configuration are checked here, after the switch, with what Slurm
// reports.
//
// Slurm stores who has set a reason, but not with which program: the prefix of
// the reason tells nodes that this operation has drained.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "backend/privileged/impersonator/operations/messages.h"
#include "backend/privileged/impersonator/operations/operations.h"
#include "backend/privileged/impersonator/operations/slurm_response.h"
#include "backend/privileged/impersonator/protocol/response.h"
#include "backend/slurm/libslurm/libslurm.h"
#include "common/status.h"

namespace carme::impersonator {
namespace {

using privileged::v1::NODE_ACTION_DRAIN;
using privileged::v1::OUTCOME_OK;
using privileged::v1::Request;
using privileged::v1::Response;

constexpr absl::string_view kReasonPrefix = "carme: ";

struct FreeNodes {
  void operator()(node_info_msg_t* message) const {
    slurm_free_node_info_msg(message);
  }
};
using Nodes = std::unique_ptr<node_info_msg_t, FreeNodes>;
using NodeList = std::vector<const node_info_t*>;

// Null, with errno as libslurm sets it.
Nodes LoadNodes() {
  node_info_msg_t* loaded = nullptr;
  if (slurm_load_node(0, &loaded, SHOW_ALL) != SLURM_SUCCESS) loaded = nullptr;
  return Nodes(loaded);
}

// Null is an empty text.
absl::string_view NodeText(const char* text) {
  return absl::NullSafeStringView(text);
}

bool HasFeature(const node_info_t& node, absl::string_view feature) {
  for (const absl::string_view word :
       absl::StrSplit(NodeText(node.features), ',')) {
    if (word == feature) return true;
  }
  return false;
}

bool IsDrained(const node_info_t& node) {
  return (node.node_state & NODE_STATE_DRAIN) != 0;
}

bool IsDrainedOrDown(const node_info_t& node) {
  return IsDrained(node) ||
         (node.node_state & NODE_STATE_BASE) == NODE_STATE_DOWN;
}

bool IsDrainedByCarme(const node_info_t& node) {
  return IsDrained(node) &&
         absl::StartsWith(NodeText(node.reason), kReasonPrefix);
}

absl::Status CheckMayChange(const NodesConfig& config, const Account& account) {
  if (!config.IsOffered()) {
    return MakePlainError(operation_messages::kNodesDisabled);
  }
  RETURN_IF_ERROR(account.may_set_node_state.status());
  if (*account.may_set_node_state) return absl::OkStatus();
  return MakePlainError(operation_messages::kNodesNotInGroup,
                        {{"user", account.name}, {"group", config.group}});
}

absl::StatusOr<NodeList> FindNodes(const privileged::v1::SetNodeState& change,
                                   const node_info_msg_t& all,
                                   const std::string& feature) {
  NodeList nodes;
  for (const std::string& name : change.nodes()) {
    const node_info_t* const begin = all.node_array;
    const node_info_t* const end = begin + all.record_count;
    const node_info_t* const found = std::find_if(
        begin, end,
        [&](const node_info_t& node) { return NodeText(node.name) == name; });
    if (found == end) {
      return MakePlainError(operation_messages::kNodeUnknown, {{"node", name}});
    }
    if (!HasFeature(*found, feature)) {
      return MakePlainError(operation_messages::kNodeWithoutFeature,
                            {{"node", name}, {"feature", feature}});
    }
    nodes.push_back(found);
  }
  return nodes;
}

// `added` nodes are neither drained nor down yet.
absl::Status CheckShare(const ImpersonatorConfig& config,
                        const node_info_msg_t& all, int added) {
  int nodes = 0;
  int drained = added;
  for (uint32_t i = 0; i < all.record_count; ++i) {
    if (!HasFeature(all.node_array[i], config.feature)) continue;
    ++nodes;
    if (IsDrainedOrDown(all.node_array[i])) ++drained;
  }
  const int max = std::max(1, nodes * config.nodes.max_drained_percent / 100);
  if (added == 0 || drained <= max) return absl::OkStatus();
  return MakePlainError(operation_messages::kTooManyNodesDrained,
                        {{"drained", drained}, {"nodes", nodes}, {"max", max}});
}

absl::Status CheckDrainedByCarme(const NodeList& nodes) {
  for (const node_info_t* node : nodes) {
    if (IsDrainedByCarme(*node)) continue;
    return MakePlainError(
        operation_messages::kNodeDrainedByOthers,
        {{"node", NodeText(node->name)}, {"reason", NodeText(node->reason)}});
  }
  return absl::OkStatus();
}

Response UpdateNodes(const NodeList& nodes, uint32_t state,
                     std::string reason) {
  std::string names =
      absl::StrJoin(nodes, ",", [](auto* out, const auto* node) {
        absl::StrAppend(out, NodeText(node->name));
      });
  update_node_msg_t message;
  slurm_init_update_node_msg(&message);
  message.node_names = names.data();
  message.node_state = state;
  if (!reason.empty()) message.reason = reason.data();
  if (slurm_update_node(&message) != SLURM_SUCCESS) {
    return SlurmErrorResponse(SlurmErrno());
  }
  return MakeResponse(OUTCOME_OK, "");
}

// Nodes that are drained already keep their reason.
Response DrainNodes(NodeList nodes, const Request& request,
                    const ImpersonatorConfig& config,
                    const node_info_msg_t& all, ChildPipe* pipe) {
  std::erase_if(nodes, [](const auto* node) { return IsDrained(*node); });
  const auto added =
      std::count_if(nodes.begin(), nodes.end(),
                    [](const auto* node) { return !IsDrainedOrDown(*node); });
  const absl::Status allowed = CheckShare(config, all, static_cast<int>(added));
  if (!allowed.ok()) return ResponseFor(allowed);
  if (nodes.empty()) return MakeResponse(OUTCOME_OK, "unchanged");
  if (!pipe->Begin()) return NotCommitted();
  return UpdateNodes(
      nodes, NODE_STATE_DRAIN,
      absl::StrCat(kReasonPrefix, request.set_node_state().reason(), " [",
                   request.user(), "]"));
}

Response ResumeNodes(NodeList nodes, ChildPipe* pipe) {
  std::erase_if(nodes, [](const auto* node) { return !IsDrained(*node); });
  const absl::Status allowed = CheckDrainedByCarme(nodes);
  if (!allowed.ok()) return ResponseFor(allowed);
  if (nodes.empty()) return MakeResponse(OUTCOME_OK, "unchanged");
  if (!pipe->Begin()) return NotCommitted();
  return UpdateNodes(nodes, NODE_RESUME, "");
}

}  // namespace

Response SetNodeState(const Request& request, const Account& account,
                      const ImpersonatorConfig& config, ChildPipe* pipe) {
  const absl::Status allowed = CheckMayChange(config.nodes, account);
  if (!allowed.ok()) return ResponseFor(allowed);
  const Nodes all = LoadNodes();
  if (all == nullptr) return SlurmErrorResponse(SlurmErrno());
  absl::StatusOr<NodeList> nodes =
      FindNodes(request.set_node_state(), *all, config.feature);
  if (!nodes.ok()) return ResponseFor(nodes.status());
  if (request.set_node_state().action() == NODE_ACTION_DRAIN) {
    return DrainNodes(*std::move(nodes), request, config, *all, pipe);
  }
  return ResumeNodes(*std::move(nodes), pipe);
}

}  // namespace carme::impersonator
