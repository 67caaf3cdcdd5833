#include "backend/jobs/agents/vet_reports.h"

#include <algorithm>
#include <optional>

#include "absl/strings/match.h"
#include "backend/jobs/agents/messages.h"
#include "backend/jobs/agents/node_root.h"
#include "backend/slurm/cluster_detail.h"
#include "common/printable.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxShownNode = 64;

// A job that starts during a run could make it fail, and so the site drain the
// node.
bool IsDrainedWithoutJobs(const SlurmSnapshot& snapshot,
                          const std::string& node) {
  if (!snapshot.reachable || snapshot.detail == nullptr) return false;
  const auto detail = snapshot.detail->nodes.find(node);
  return detail != snapshot.detail->nodes.end() &&
         absl::StrContains(detail->second.state.slurm, "DRAIN") &&
         std::any_of(snapshot.nodes.begin(), snapshot.nodes.end(),
                     [&](const SlurmNode& known) {
                       return known.name == node && known.cpus_used == 0;
                     });
}

}  // namespace

absl::Status VetReports::AddOfRoot(const v1::ReportVetRunRequest& request,
                                   Uid uid, const std::string& peer_address) {
  // What may drain a node is about the sender's own node alone.
  if (request.nodes_size() != 1) {
    return MakeError(job_agent_messages::kVetRunOfSeveralNodes,
                     {{"nodes", request.nodes_size()}});
  }
  const std::string& node = request.nodes(0).node();
  RETURN_IF_ERROR(CheckNodeRoot(*parts_.scheduler, node, uid, peer_address));
  if (parts_.history == nullptr) {
    return MakeError(job_agent_messages::kNoNodeHistory);
  }
  NodeVetRun run{.source = request.prolog_slurm_job_id() == 0
                               ? v1::NODE_ENTRY_SOURCE_SITE_VET
                               : v1::NODE_ENTRY_SOURCE_PROLOG_VET,
                 .run = request.run_id(),
                 .slurm_job_id = request.prolog_slurm_job_id(),
                 .nodes = {request.nodes(0)}};
  if (run.slurm_job_id != 0) {
    const std::optional<Job> job =
        parts_.admission->JobOnNode(SlurmJobId(run.slurm_job_id), node, true);
    if (job) {
      run.job_id = job->id.value();
      run.user = job->owner;
    }
  }
  return parts_.history->RecordVetRun(run);
}

absl::Status VetReports::AddOfJob(const v1::ReportVetRunRequest& request,
                                  const Job& job) {
  for (const v1::NodeVetReport& report : request.nodes()) {
    if (std::find(job.nodes.begin(), job.nodes.end(), report.node()) !=
        job.nodes.end()) {
      continue;
    }
    return MakeError(job_agent_messages::kVetRunOfOtherNode,
                     {{"node", PlainText(report.node(), kMaxShownNode)}});
  }
  if (parts_.history == nullptr) {
    return MakeError(job_agent_messages::kNoNodeHistory);
  }
  // The job is the run, so that a job counts once.
  return parts_.history->RecordVetRun(
      {.source = v1::NODE_ENTRY_SOURCE_JOB_VET,
       .run = job.id.value(),
       .job_id = job.id.value(),
       .slurm_job_id = job.slurm_id.value(),
       .user = job.owner,
       .nodes = {request.nodes().begin(), request.nodes().end()}});
}

absl::StatusOr<bool> VetReports::IsRequested(const std::string& node, Uid uid,
                                             const std::string& peer_address) {
  RETURN_IF_ERROR(CheckNodeRoot(*parts_.scheduler, node, uid, peer_address));
  if (parts_.history == nullptr) {
    return MakeError(job_agent_messages::kNoNodeHistory);
  }
  return parts_.history->IsVetRequested(node) &&
         IsDrainedWithoutJobs(*parts_.scheduler->Snapshot(), node);
}

}  // namespace carme::backend
