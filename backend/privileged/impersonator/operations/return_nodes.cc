// Returns nodes of a running job to Slurm, as the user that this process runs
// as. Slurm ends the tasks on these nodes.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "backend/privileged/impersonator/operations/messages.h"
#include "backend/privileged/impersonator/operations/operations.h"
#include "backend/privileged/impersonator/operations/own_job.h"
#include "backend/privileged/impersonator/operations/slurm_response.h"
#include "backend/privileged/impersonator/protocol/response.h"
#include "backend/slurm/libslurm/libslurm.h"
#include "common/status.h"

namespace carme::impersonator {
namespace {

using privileged::v1::OUTCOME_OK;
using privileged::v1::OUTCOME_SLURM_REFUSED;
using privileged::v1::Request;
using privileged::v1::Response;
using privileged::v1::ReturnNodes;

// Goes on when one of its nodes leaves (node_agents.cc of carme-agent).
constexpr absl::string_view kNodeAgentStep = "carme-node-agent";

struct FreeRecords {
  void operator()(job_info_msg_t* message) const {
    slurm_free_job_info_msg(message);
  }
  void operator()(job_step_info_response_msg_t* message) const {
    slurm_free_job_step_info_response_msg(message);
  }
};
using Jobs = std::unique_ptr<job_info_msg_t, FreeRecords>;
using Steps = std::unique_ptr<job_step_info_response_msg_t, FreeRecords>;

std::vector<std::string> NodesIn(const char* hostlist) {
  return ExpandHostlist(std::string(absl::NullSafeStringView(hostlist)));
}

// The batch script and what Slurm itself runs on each node: Slurm handles both.
bool IsStepOfSlurm(const job_step_info_t& step) {
  return step.step_id.step_id == SLURM_BATCH_SCRIPT ||
         step.step_id.step_id == SLURM_EXTERN_CONT;
}

struct NodesOfSteps {
  std::set<std::string> with_node_agent;
  std::set<std::string> with_others;  // steps of the user
};

NodesOfSteps ReadSteps(const job_step_info_response_msg_t& steps) {
  NodesOfSteps found;
  for (uint32_t i = 0; i < steps.job_step_count; ++i) {
    const job_step_info_t& step = steps.job_steps[i];
    if (IsStepOfSlurm(step)) continue;
    const bool is_node_agent =
        absl::NullSafeStringView(step.name) == kNodeAgentStep;
    const std::vector<std::string> nodes = NodesIn(step.nodes);
    (is_node_agent ? found.with_node_agent : found.with_others)
        .insert(nodes.begin(), nodes.end());
  }
  return found;
}

// Removes the nodes that must stay. UNAVAILABLE: Slurm's list of steps is not
// complete, since node agents run on all nodes but the first.
absl::Status KeepReturnable(const job_step_info_response_msg_t& steps,
                            std::set<std::string>* nodes) {
  const NodesOfSteps found = ReadSteps(steps);
  for (const std::string& node : *nodes) {
    if (found.with_node_agent.contains(node)) continue;
    return MakePlainError(operation_messages::kNodeAgentNotListed,
                          {{"node", node}});
  }
  std::erase_if(*nodes, [&](const std::string& node) {
    return found.with_others.contains(node);
  });
  if (!nodes->empty()) return absl::OkStatus();
  return MakePlainError(operation_messages::kStepKeepsNodes);
}

Response SetNodes(uint32_t slurm_job_id, const std::vector<std::string>& kept) {
  std::string id = std::to_string(slurm_job_id);
  std::string nodes = absl::StrJoin(kept, ",");
  job_desc_msg_t description;
  slurm_init_job_desc_msg(&description);
  description.job_id_str = id.data();
  description.req_nodes = nodes.data();
  job_array_resp_msg_t* errors = nullptr;
  if (slurm_update_job2(&description, &errors) != SLURM_SUCCESS) {
    return SlurmErrorResponse(SlurmErrno());
  }
  return MakeResponse(OUTCOME_OK, "");
}

}  // namespace

Response ReturnJobNodes(const Request& request, const Account& account,
                        const ImpersonatorConfig& /*config*/, ChildPipe* pipe) {
  const ReturnNodes& change = request.return_nodes();
  job_info_msg_t* loaded = nullptr;
  if (LoadSlurmJob(change.slurm_job_id(), &loaded) != SLURM_SUCCESS) {
    const int error = SlurmErrno();
    if (!MeansJobIsOver(error)) return SlurmErrorResponse(error);
    return MakeResponse(OUTCOME_SLURM_REFUSED, "slurm: job has ended");
  }
  const Jobs jobs(loaded);
  if (jobs->record_count != 1) {
    return ResponseFor(MakePlainError(operation_messages::kArrayKeepsNodes));
  }
  const slurm_job_info_t& job = jobs->job_array[0];
  const Response owned = CheckOwnJob(job, change.carme_job_id(), account);
  if (owned.outcome() != OUTCOME_OK) return owned;
  // A pending job would wait for the nodes that it is to keep.
  if ((job.job_state & JOB_STATE_BASE) != JOB_RUNNING ||
      (job.job_state & JOB_COMPLETING) != 0) {
    return MakeResponse(OUTCOME_SLURM_REFUSED, "slurm: job is not running");
  }
  std::vector<std::string> kept = NodesIn(job.nodes);
  std::set<std::string> returned(change.nodes().begin(), change.nodes().end());
  std::erase_if(returned, [&](const std::string& node) {
    return std::find(kept.begin(), kept.end(), node) == kept.end();
  });
  if (returned.empty() && !kept.empty()) {
    return MakeResponse(OUTCOME_OK, "the job has none of these nodes");
  }
  const std::string batch_host(absl::NullSafeStringView(job.batch_host));
  if (batch_host.empty() || returned.contains(batch_host)) {
    return ResponseFor(MakePlainError(operation_messages::kBatchHostKept,
                                      {{"node", batch_host}}));
  }
  job_step_info_response_msg_t* loaded_steps = nullptr;
  if (LoadSlurmSteps(change.slurm_job_id(), &loaded_steps) != SLURM_SUCCESS) {
    return SlurmErrorResponse(SlurmErrno());
  }
  const Steps steps(loaded_steps);
  const absl::Status allowed = KeepReturnable(*steps, &returned);
  if (!allowed.ok()) return ResponseFor(allowed);
  std::erase_if(
      kept, [&](const std::string& node) { return returned.contains(node); });
  if (!pipe->Begin()) return NotCommitted();
  return SetNodes(change.slurm_job_id(), kept);
}

}  // namespace carme::impersonator
