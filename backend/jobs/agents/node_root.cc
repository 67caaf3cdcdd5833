#include "backend/jobs/agents/node_root.h"

#include <algorithm>

#include "backend/jobs/agents/messages.h"
#include "backend/jobs/model/node_address.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxNodeNameBytes = 64;

}  // namespace

absl::Status CheckNodeRoot(const Scheduler& scheduler, const std::string& node,
                           Uid uid, const std::string& peer_address) {
  if (uid != Uid(0)) {
    return MakeError(job_agent_messages::kHookReportNotRoot,
                     {{"uid", uid.value()}});
  }
  const std::string shown = PlainText(node, kMaxNodeNameBytes);
  const SlurmSnapshotPtr snapshot = scheduler.Snapshot();
  const auto found =
      std::find_if(snapshot->nodes.begin(), snapshot->nodes.end(),
                   [&](const SlurmNode& known) { return known.name == node; });
  if (found == snapshot->nodes.end()) {
    return MakeError(snapshot->reachable
                         ? job_agent_messages::kHookReportNodeUnknown
                         : job_agent_messages::kHookReportNodeNotReadYet,
                     {{"node", shown}});
  }
  ASSIGN_OR_RETURN(const bool same, IsAddressOf(peer_address, found->address));
  if (same) return absl::OkStatus();
  return MakeError(
      job_agent_messages::kHookReportWrongNode,
      {{"peer", peer_address}, {"node", shown}, {"address", found->address}});
}

}  // namespace carme::backend
