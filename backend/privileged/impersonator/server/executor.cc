#include "backend/privileged/impersonator/server/executor.h"

#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include "backend/privileged/authz/policy.h"
#include "backend/privileged/impersonator/operations/operations.h"
#include "backend/privileged/impersonator/operations/slurm_user.h"
#include "backend/privileged/impersonator/protocol/exec_request.h"
#include "backend/privileged/impersonator/protocol/request.h"
#include "backend/privileged/impersonator/protocol/response.h"
#include "backend/privileged/privsep/account.h"
#include "backend/privileged/privsep/become_user.h"
#include "backend/privileged/privsep/landlock.h"
#include "backend/privileged/privsep/prefault.h"
#include "backend/slurm/libslurm/libslurm.h"
#include "common/status.h"

namespace carme::impersonator {
namespace {

using privileged::v1::Request;
using privileged::v1::Response;

// Runs as the user, or as SlurmUser. A compromised parent can neither have a
// user's operation done as SlurmUser nor the reverse.
absl::StatusOr<Request> ReadRequest(const ExecRequest& exec) {
  ASSIGN_OR_RETURN(Request request, ParseRequest(exec.request));
  if (request.user() != exec.user || request.uid() != exec.uid.value()) {
    return absl::InvalidArgumentError(
        "the message and its request name different users");
  }
  if (OperationFor(request).as_slurm_user != exec.as_slurm_user) {
    return absl::InvalidArgumentError(
        "the message and its request disagree about SlurmUser");
  }
  return request;
}

// Runs as the user, before bytes from outside are parsed.
absl::Status Confine(const ImpersonatorFilters& filters) {
  const std::vector<uint16_t> ports = ControllerPorts();
  if (!ports.empty() && SupportsPortLimits())
    RETURN_IF_ERROR(LimitConnectPorts(ports));
  return filters.executor.Install();
}

absl::StatusOr<bool> IsInGroup(const Account& account,
                               const std::string& name) {
  ASSIGN_OR_RETURN(const gid_t group, LookUpGroup(name));
  return std::find(account.groups.begin(), account.groups.end(), group) !=
         account.groups.end();
}

absl::StatusOr<bool> MayReserve(const ReservationConfig& config,
                                const Account& account) {
  if (!config.IsOffered()) return false;
  if (config.group.empty()) return true;
  return IsInGroup(account, config.group);
}

absl::StatusOr<bool> MayReserveForMaintenance(const MaintenanceConfig& config,
                                              const Account& account) {
  if (!config.IsOffered()) return false;
  return IsInGroup(account, config.group);
}

absl::StatusOr<bool> MaySetNodeState(const NodesConfig& config,
                                     const Account& account) {
  if (!config.IsOffered()) return false;
  return IsInGroup(account, config.group);
}

// Equal, unless the operation runs as SlurmUser.
struct Identities {
  Account user;    // on whose behalf
  Account run_as;  // to become
};

absl::StatusOr<Identities> ResolveIdentities(const ExecRequest& exec,
                                             const ImpersonatorConfig& config,
                                             bool slurm_is_ready) {
  Identities ids;
  ASSIGN_OR_RETURN(ids.user, AuthorizeUser(config.policy, exec.user, exec.uid));
  ids.run_as = ids.user;
  if (!exec.as_slurm_user) return ids;
  ASSIGN_OR_RETURN(ids.run_as, LookUpSlurmUser(config, slurm_is_ready));
  // NSS is not queried any more after the switch, and the request, which names
  // the operation, is parsed after it. So the result is kept as it is: a group
  // that cannot be looked up refuses only the operations that need it.
  ids.user.may_reserve = MayReserve(config.reservations, ids.user);
  ids.user.may_reserve_for_maintenance =
      MayReserveForMaintenance(config.maintenance, ids.user);
  ids.user.may_set_node_state = MaySetNodeState(config.nodes, ids.user);
  return ids;
}

Response BecomeAndRun(const ExecRequest& exec, const Identities& ids,
                      const ImpersonatorConfig& config,
                      const ImpersonatorFilters& filters, bool slurm_is_ready,
                      ChildPipe* pipe) {
  const absl::Status became = BecomeUser(ids.run_as, pipe->fd());
  if (!became.ok()) return ResponseFor(Annotate(became, "become the user"));
  if (!slurm_is_ready && !exec.as_slurm_user) InitSlurm(config.slurm_conf);
  const absl::Status confined = Confine(filters);
  if (!confined.ok()) return ResponseFor(confined);
  const absl::StatusOr<Request> request = ReadRequest(exec);
  if (!request.ok()) return ResponseFor(request.status());
  return OperationFor(*request).run(*request, ids.user, config, pipe);
}

Response HandleRequest(const std::string& bytes,
                       const ImpersonatorConfig& config,
                       const ImpersonatorFilters& filters, bool slurm_is_ready,
                       ChildPipe* pipe) {
  const absl::StatusOr<ExecRequest> exec = DecodeExecRequest(bytes);
  if (!exec.ok()) return ResponseFor(exec.status());
  const absl::StatusOr<Identities> ids =
      ResolveIdentities(*exec, config, slurm_is_ready);
  if (!ids.ok()) return ResponseFor(ids.status());
  pipe->Permit();
  return BecomeAndRun(*exec, *ids, config, filters, slurm_is_ready, pipe);
}

}  // namespace

absl::StatusOr<Child> StartExecutor(const ImpersonatorConfig& config,
                                    const ImpersonatorFilters& filters,
                                    bool slurm_is_ready) {
  return Child::Start([&](ChildPipe* pipe) {
    // In particular the listening socket, which a new impersonator may need.
    pipe->CloseOthers();
    PrefaultMemory();
    if (!filters.root_executor.Install().ok()) return;
    const std::string bytes = pipe->AwaitRequest();
    if (bytes.empty()) return;
    pipe->Respond(HandleRequest(bytes, config, filters, slurm_is_ready, pipe)
                      .SerializeAsString());
  });
}

void SendExecRequest(const Request& request, Child* executor) {
  executor->SendRequest(EncodeExecRequest(request.user(), Uid(request.uid()),
                                          request.SerializeAsString(),
                                          OperationFor(request).as_slurm_user));
}

}  // namespace carme::impersonator
