// The table of all operations of this program.
#ifndef CARME_BACKEND_PRIVILEGED_IMPERSONATOR_OPERATIONS_OPERATIONS_H_
#define CARME_BACKEND_PRIVILEGED_IMPERSONATOR_OPERATIONS_OPERATIONS_H_

#include <string>
#include <string_view>

#include "backend/privileged/impersonator/authz/config.h"
#include "backend/privileged/impersonator/authz/rate_limits.h"
#include "backend/privileged/privsep/account.h"
#include "backend/privileged/privsep/child.h"
#include "carme/privileged/v1/privileged.pb.h"

namespace carme::impersonator {

// Runs in the child, as the user, or as SlurmUser where the table says so,
// after InitSlurm. `account` is the user's in either case. Must call
// ChildPipe::Begin() right before the call that cannot be undone.
using OperationFunction = privileged::v1::Response(
    const privileged::v1::Request& request, const Account& account,
    const ImpersonatorConfig& config, ChildPipe* pipe);

struct Operation {
  privileged::v1::Request::OperationCase operation_case;
  std::string_view name;  // for the audit line
  // What it is done to, for the audit line, without text that users write.
  std::string (*object)(const privileged::v1::Request& request);
  OperationKind kind{};        // whose rate limits apply
  bool awaits_commit = false;  // a Commit must follow the request
  // Runs as SlurmUser on the user's behalf: slurm_user.h.
  bool as_slurm_user = false;
  bool one_at_a_time = false;  // not while another one of the user runs
  OperationFunction* run = nullptr;
};

// The operation of `request`. REQUIRES: the request was checked.
const Operation& OperationFor(const privileged::v1::Request& request);

OperationFunction SubmitJob;
OperationFunction EstimateStart;  // when a job would start; submits nothing
OperationFunction CancelJob;
OperationFunction UpdateJob;
OperationFunction ReturnJobNodes;
OperationFunction ReadJobLog;
// These run as SlurmUser:
OperationFunction ExtendJob;
OperationFunction ReserveNodes;
OperationFunction UnreserveNodes;
OperationFunction ReserveNodesForMaintenance;
OperationFunction SetNodeState;

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_IMPERSONATOR_OPERATIONS_OPERATIONS_H_
