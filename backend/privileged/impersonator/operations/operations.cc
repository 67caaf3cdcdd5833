#include "backend/privileged/impersonator/operations/operations.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "backend/privileged/impersonator/operations/job_script.h"

namespace carme::impersonator {
namespace {

using privileged::v1::Request;

std::string SubmitObject(const Request& request) {
  return request.submit().carme_job_id();
}

std::string CancelObject(const Request& request) {
  return absl::StrCat(request.cancel().carme_job_id(), "/",
                      request.cancel().slurm_job_id());
}

std::string UpdateObject(const Request& request) {
  return absl::StrCat(request.update().carme_job_id(), "/",
                      request.update().slurm_job_id());
}

// The first node and how many more, because a line of the audit has a limit.
std::string ReturnNodesObject(const Request& request) {
  const privileged::v1::ReturnNodes& change = request.return_nodes();
  const std::string job =
      absl::StrCat(change.carme_job_id(), "/", change.slurm_job_id());
  if (change.nodes_size() == 1) return absl::StrCat(job, "/", change.nodes(0));
  return absl::StrCat(job, "/", change.nodes(0), "+", change.nodes_size() - 1);
}

std::string ReadLogObject(const Request& request) {
  const privileged::v1::ReadLog& read = request.read_log();
  if (!read.has_task()) return JobLogName(read.carme_job_id(), read.app());
  return JobLogName(read.carme_job_id(), "", read.task());
}

// The size of the job, which does not exist.
std::string EstimateStartObject(const Request& request) {
  return absl::StrCat(request.estimate_start().partition(), "/",
                      request.estimate_start().nodes(), "/",
                      request.estimate_start().gpus_per_node());
}

std::string ReserveObject(const Request& request) {
  const privileged::v1::Reserve& reserve = request.reserve();
  if (reserve.users_only()) {
    return absl::StrCat(reserve.name(), "/users/", reserve.users_size());
  }
  return absl::StrCat(reserve.name(), "/", reserve.partition(), "/",
                      reserve.nodes(), "/", reserve.start_unix_s(), "/",
                      reserve.minutes());
}

// "-": all nodes of the cluster.
std::string ReserveForMaintenanceObject(const Request& request) {
  const privileged::v1::ReserveForMaintenance& reserve =
      request.reserve_for_maintenance();
  const std::string& nodes =
      reserve.nodes().empty() ? reserve.partition() : reserve.nodes();
  return absl::StrCat(reserve.name(), "/", nodes.empty() ? "-" : nodes, "/",
                      reserve.start_unix_s(), "/", reserve.minutes());
}

// The first node and how many more, because a line of the audit has a limit.
std::string SetNodeStateObject(const Request& request) {
  const privileged::v1::SetNodeState& change = request.set_node_state();
  const std::string action =
      change.action() == privileged::v1::NODE_ACTION_DRAIN ? "drain" : "resume";
  if (change.nodes_size() == 1)
    return absl::StrCat(action, "/", change.nodes(0));
  return absl::StrCat(action, "/", change.nodes(0), "+",
                      change.nodes_size() - 1);
}

std::string ExtendObject(const Request& request) {
  return absl::StrCat(request.extend().carme_job_id(), "/",
                      request.extend().slurm_job_id(), "/",
                      request.extend().walltime_min());
}

std::string UnreserveObject(const Request& request) {
  return request.unreserve().name();
}

constexpr Operation kOperations[] = {
    {.operation_case = Request::kSubmit,
     .name = "submit",
     .object = SubmitObject,
     .kind = OperationKind::kSubmit,
     .awaits_commit = true,
     .run = SubmitJob},
    {.operation_case = Request::kCancel,
     .name = "cancel",
     .object = CancelObject,
     .kind = OperationKind::kCancel,
     .run = CancelJob},
    {.operation_case = Request::kUpdate,
     .name = "update",
     .object = UpdateObject,
     .kind = OperationKind::kUpdate,
     .run = UpdateJob},
    {.operation_case = Request::kReturnNodes,
     .name = "return_nodes",
     .object = ReturnNodesObject,
     .kind = OperationKind::kUpdate,
     .run = ReturnJobNodes},
    {.operation_case = Request::kReadLog,
     .name = "read_log",
     .object = ReadLogObject,
     .kind = OperationKind::kReadLog,
     .run = ReadJobLog},
    {.operation_case = Request::kEstimateStart,
     .name = "estimate_start",
     .object = EstimateStartObject,
     .kind = OperationKind::kEstimateStart,
     .run = EstimateStart},
    {.operation_case = Request::kReserve,
     .name = "reserve",
     .object = ReserveObject,
     .kind = OperationKind::kReserve,
     .as_slurm_user = true,
     .one_at_a_time = true,
     .run = ReserveNodes},
    {.operation_case = Request::kUnreserve,
     .name = "unreserve",
     .object = UnreserveObject,
     .kind = OperationKind::kReserve,
     .as_slurm_user = true,
     .run = UnreserveNodes},
    {.operation_case = Request::kReserveForMaintenance,
     .name = "reserve_for_maintenance",
     .object = ReserveForMaintenanceObject,
     .kind = OperationKind::kReserve,
     .as_slurm_user = true,
     .one_at_a_time = true,
     .run = ReserveNodesForMaintenance},
    {.operation_case = Request::kSetNodeState,
     .name = "set_node_state",
     .object = SetNodeStateObject,
     .kind = OperationKind::kSetNodeState,
     .as_slurm_user = true,
     .run = SetNodeState},
    {.operation_case = Request::kExtend,
     .name = "extend",
     .object = ExtendObject,
     .kind = OperationKind::kExtend,
     .as_slurm_user = true,
     .run = ExtendJob},
};

}  // namespace

const Operation& OperationFor(const Request& request) {
  const auto* found = std::find_if(
      std::begin(kOperations), std::end(kOperations), [&](const auto& entry) {
        return entry.operation_case == request.operation_case();
      });
  if (found == std::end(kOperations)) std::abort();
  return *found;
}

}  // namespace carme::impersonator
