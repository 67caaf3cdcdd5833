#include "backend/privileged/actor.h"

#include <unistd.h>

#include <string>

#include "backend/privileged/acts.h"
#include "backend/privileged/become_user.h"
#include "backend/privileged/outcome.h"
#include "backend/privileged/own_pages.h"
#include "backend/privileged/policy.h"
#include "backend/privileged/request.h"
#include "backend/slurm/libslurm.h"
#include "carme/privileged/v1/order.pb.h"
#include "common/status.h"

namespace carme {
namespace {

using privileged::v1::Order;
using privileged::v1::Response;

Account AccountOf(const Order& order) {
  Account account;
  account.name = order.request().user();
  account.uid = order.request().uid();
  account.gid = order.gid();
  account.home = order.home();
  account.groups.assign(order.groups().begin(), order.groups().end());
  account.in_allowed_group = true;
  return account;
}

// Of what the policy says, all that can be seen from here.
absl::Status CheckOrder(const Order& order, const Account& account,
                        const ImpersonatorConfig& config) {
  RETURN_IF_ERROR(CheckRequest(order.request()));
  return MayActAs(config.policy, account, Uid(order.request().uid()));
}

// The drop, then the act.
Response BecomeAndAct(const Order& order, const ImpersonatorConfig& config,
                      const SystemCallFilters& filters, bool slurm_is_ready,
                      ChildPipe* pipe) {
  const Account account = AccountOf(order);
  if (const absl::Status checked = CheckOrder(order, account, config);
      !checked.ok()) {
    return OutcomeOf(Annotate(checked, "order"));
  }
  const absl::Status became = BecomeUser(account, pipe->fd());
  if (!became.ok()) return OutcomeOf(Annotate(became, "become the user"));
  const absl::Status filtered = filters.actor.Install();
  if (!filtered.ok()) return OutcomeOf(filtered);
  if (!slurm_is_ready) InitSlurm(config.slurm_conf);
  return OperationOf(order.request())
      .act(order.request(), account, config, pipe);
}

// Without the listening socket, which a new impersonator may want to have.
void CloseAllButLog(int keep) {
  const auto kept = static_cast<unsigned>(keep);
  if (kept > 3) close_range(3, kept - 1, 0);
  close_range(kept + 1, ~0U, 0);
}

}  // namespace

absl::StatusOr<Child> StartActor(const ImpersonatorConfig& config,
                                 const SystemCallFilters& filters,
                                 bool slurm_is_ready) {
  return Child::Start([&](ChildPipe* pipe) {
    CloseAllButLog(pipe->fd());
    TakeOwnPages();
    if (!filters.before_actor.Install().ok()) return;
    const std::string bytes = pipe->AwaitOrder();
    Order order;
    if (bytes.empty() || !order.ParseFromString(bytes)) return;
    pipe->Answer(BecomeAndAct(order, config, filters, slurm_is_ready, pipe)
                     .SerializeAsString());
  });
}

void OrderAct(const privileged::v1::Request& request, const Account& account,
              Child* actor) {
  Order order;
  *order.mutable_request() = request;
  order.set_gid(account.gid);
  order.set_home(account.home);
  order.mutable_groups()->Add(account.groups.begin(), account.groups.end());
  actor->Order(order.SerializeAsString());
}

}  // namespace carme
