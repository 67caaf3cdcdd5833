#include "backend/privileged/actor.h"

#include <unistd.h>

#include <string>
#include <vector>

#include "backend/privileged/account.h"
#include "backend/privileged/acts.h"
#include "backend/privileged/become_operator.h"
#include "backend/privileged/become_user.h"
#include "backend/privileged/order.h"
#include "backend/privileged/outcome.h"
#include "backend/privileged/own_pages.h"
#include "backend/privileged/policy.h"
#include "backend/privileged/port_limit.h"
#include "backend/privileged/request.h"
#include "backend/slurm/libslurm.h"
#include "common/status.h"

namespace carme::impersonator {
namespace {

using privileged::v1::Request;
using privileged::v1::Response;

// As the user, or Slurm's own. A parent that was taken over has neither a
// user's act done by Slurm's own user, nor the other way round.
absl::StatusOr<Request> ReadRequest(const Order& order) {
  ASSIGN_OR_RETURN(Request request, ParseRequest(order.request));
  if (request.user() != order.user || request.uid() != order.uid.value()) {
    return absl::InvalidArgumentError("order and request name two users");
  }
  if (OperationOf(request).as_operator != order.as_operator) {
    return absl::InvalidArgumentError("order and request name two masters");
  }
  return request;
}

// As the user, before anything is read that comes from outside.
absl::Status Confine(const SystemCallFilters& filters) {
  const std::vector<uint16_t> ports = ControllerPorts();
  if (!ports.empty() && KernelLimitsPorts()) RETURN_IF_ERROR(LimitPorts(ports));
  return filters.actor.Install();
}

// Who acts, and for whom: the same but for an act of the operator's.
struct Actors {
  Account user;
  Account becomes;
};

absl::StatusOr<Actors> DecideActors(const Order& order,
                                    const ImpersonatorConfig& config,
                                    bool slurm_is_ready) {
  Actors actors;
  ASSIGN_OR_RETURN(actors.user, DecideWhom(order, config.policy));
  actors.becomes = actors.user;
  if (!order.as_operator) return actors;
  ASSIGN_OR_RETURN(actors.becomes, LookUpOperator(config, slurm_is_ready));
  // As Slurm's own user nobody is asked about groups any more. Which act it is
  // stands in what is not read yet: a group that is not there stops none but
  // those that ask for it.
  actors.user.may_reserve = MayReserve(config.reserving, actors.user);
  return actors;
}

Response BecomeAndAct(const Order& order, const Actors& actors,
                      const ImpersonatorConfig& config,
                      const SystemCallFilters& filters, bool slurm_is_ready,
                      ChildPipe* pipe) {
  const absl::Status became = BecomeUser(actors.becomes, pipe->fd());
  if (!became.ok()) return OutcomeOf(Annotate(became, "become the user"));
  if (!slurm_is_ready && !order.as_operator) InitSlurm(config.slurm_conf);
  const absl::Status confined = Confine(filters);
  if (!confined.ok()) return OutcomeOf(confined);
  const absl::StatusOr<Request> request = ReadRequest(order);
  if (!request.ok()) return OutcomeOf(request.status());
  return OperationOf(*request).act(*request, actors.user, config, pipe);
}

Response Obey(const std::string& bytes, const ImpersonatorConfig& config,
              const SystemCallFilters& filters, bool slurm_is_ready,
              ChildPipe* pipe) {
  const absl::StatusOr<Order> order = DecodeOrder(bytes);
  if (!order.ok()) return OutcomeOf(order.status());
  const absl::StatusOr<Actors> actors =
      DecideActors(*order, config, slurm_is_ready);
  if (!actors.ok()) return OutcomeOf(actors.status());
  pipe->Permit();
  return BecomeAndAct(*order, *actors, config, filters, slurm_is_ready, pipe);
}

}  // namespace

absl::StatusOr<Account> DecideWhom(const Order& order,
                                   const PrivilegedPolicy& policy) {
  ASSIGN_OR_RETURN(Account account,
                   LookUpAccount(order.user, policy.allowed_group));
  RETURN_IF_ERROR(MayActAs(policy, account, order.uid));
  return account;
}

absl::StatusOr<Child> StartActor(const ImpersonatorConfig& config,
                                 const SystemCallFilters& filters,
                                 bool slurm_is_ready) {
  return Child::Start([&](ChildPipe* pipe) {
    // Not the listening socket, which a new impersonator may want to have.
    pipe->CloseOthers();
    TakeOwnPages();
    if (!filters.before_actor.Install().ok()) return;
    const std::string bytes = pipe->AwaitOrder();
    if (bytes.empty()) return;
    pipe->Answer(
        Obey(bytes, config, filters, slurm_is_ready, pipe).SerializeAsString());
  });
}

void OrderAct(const Request& request, Child* actor) {
  actor->Order(EncodeOrder(request.user(), Uid(request.uid()),
                           request.SerializeAsString(),
                           OperationOf(request).as_operator));
}

}  // namespace carme::impersonator
