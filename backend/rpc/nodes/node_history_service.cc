#include "backend/rpc/nodes/node_history_service.h"

#include <grpcpp/server_context.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "backend/jobs/model/job_proto.h"
#include "backend/node_history/messages.h"
#include "backend/rpc/access/audit_event.h"
#include "backend/rpc/access/caller.h"
#include "backend/rpc/access/client_error.h"
#include "backend/rpc/convert/paging.h"
#include "backend/rpc/nodes/messages.h"
#include "backend/slurm/cluster_detail.h"
#include "carme/v1/node_history.grpc.pb.h"
#include "common/grpc/grpc_status.h"
#include "common/name_rules.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/protobuf/text_code.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr int kListedNodeEntries = 100;
constexpr int kMaxListedNodeEntries = 500;
constexpr size_t kMaxAuditedNodes = 1024;

void FillNodeEntry(const NodeEntry& from, v1::NodeHistoryEntry* entry) {
  entry->set_sequence(from.sequence);
  Fill(from.at, entry->mutable_at());
  entry->set_source(from.source);
  entry->set_severity(from.severity);
  entry->set_name(from.name);
  entry->set_job_id(from.job_id);
  entry->set_slurm_job_id(from.slurm_job_id);
  entry->set_user(from.user);
  entry->set_text(from.text.text);
  FillTextCode(from.text, &v1::NodeHistoryEntry::mutable_text_code, entry);
}

class NodeHistoryService : public v1::NodeHistoryService::Service {
 public:
  explicit NodeHistoryService(const NodeHistoryParts& parts) : parts_(parts) {}

  grpc::Status GetNodeHistory(grpc::ServerContext* context,
                              const v1::GetNodeHistoryRequest* request,
                              v1::GetNodeHistoryResponse* response) override {
    return ToGrpc(ClientError(Get(*request, response), CallerOf(*context),
                              "history of nodes"));
  }

  grpc::Status RecordVetRun(grpc::ServerContext* context,
                            const v1::RecordVetRunRequest* request,
                            v1::RecordVetRunResponse* response) override {
    const Caller caller = CallerOf(*context);
    absl::Status status = parts_.audit->Ready();
    if (status.ok()) status = Record(*request, response);
    AuditEvent event =
        Outcome(EventOf(*context, caller, "record-vet-run"), status);
    std::vector<std::string> nodes;
    for (const v1::NodeVetReport& report : request->nodes()) {
      nodes.push_back(report.node());
    }
    event.subject = Readable(absl::StrJoin(nodes, ","), kMaxAuditedNodes);
    const absl::Status noted = RecordChange(parts_.audit, event);
    return ToGrpc(noted.ok() ? ClientError(status, caller, "history of nodes")
                             : noted);
  }

 private:
  absl::Status Get(const v1::GetNodeHistoryRequest& request,
                   v1::GetNodeHistoryResponse* response) {
    const std::string& node = request.node();
    if (!kSlurmNameRule.Allows(node)) {
      return MakeError(rpc_node_messages::kNodeNameInvalid);
    }
    PageQuery query = PageOf(request, kListedNodeEntries);
    query.filter = node;
    query.max_size = kMaxListedNodeEntries;
    ASSIGN_OR_RETURN(const int size, PageSizeOf(query));
    ASSIGN_OR_RETURN(const int64_t before, PageNumberOf(query));
    // One more shows whether there is a further page.
    ASSIGN_OR_RETURN(const std::vector<NodeEntry> entries,
                     parts_.history->Read(node, before, size + 1));
    const bool is_known = FillSlurmState(node, response);
    if (!is_known && entries.empty() && before == 0) {
      return MakeError(node_history_messages::kNodeWithoutHistory,
                       {{"node", node}});
    }
    const size_t shown = std::min(entries.size(), static_cast<size_t>(size));
    for (size_t i = 0; i < shown; ++i) {
      FillNodeEntry(entries[i], response->add_entries());
    }
    if (entries.size() > shown) {
      response->set_next_page_token(
          PageTokenOf(entries[shown - 1].sequence, query.filter));
    }
    response->set_state(parts_.enforcer->StateOf(node));
    ASSIGN_OR_RETURN(const std::optional<NodeDrain> drain,
                     parts_.history->DrainOf(node));
    if (drain) response->set_rule(drain->rule);
    return absl::OkStatus();
  }

  // False: Slurm has no such node.
  bool FillSlurmState(const std::string& node,
                      v1::GetNodeHistoryResponse* response) const {
    const SlurmSnapshotPtr snapshot = parts_.scheduler->Snapshot();
    if (snapshot->detail != nullptr) {
      const auto found = snapshot->detail->nodes.find(node);
      if (found != snapshot->detail->nodes.end()) {
        response->set_slurm_state(found->second.state.slurm);
        response->set_slurm_reason(found->second.reason);
      }
    }
    return std::any_of(
        snapshot->nodes.begin(), snapshot->nodes.end(),
        [&](const SlurmNode& known) { return known.name == node; });
  }

  absl::Status Record(const v1::RecordVetRunRequest& request,
                      v1::RecordVetRunResponse* response) {
    NodeVetRun run{.source = v1::NODE_ENTRY_SOURCE_SITE_VET,
                   .run = request.run_id(),
                   .nodes = {request.nodes().begin(), request.nodes().end()}};
    RETURN_IF_ERROR(parts_.history->RecordVetRun(run));
    parts_.enforcer->Enforce();
    for (const v1::NodeVetReport& report : run.nodes) {
      if (report.failures().empty()) continue;
      v1::NodeRuleStateOf* const failed = response->add_failed();
      failed->set_node(report.node());
      failed->set_state(parts_.enforcer->StateOf(report.node()));
    }
    return absl::OkStatus();
  }

  const NodeHistoryParts parts_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewNodeHistoryService(
    const NodeHistoryParts& parts) {
  return std::make_unique<NodeHistoryService>(parts);
}

}  // namespace carme::backend
