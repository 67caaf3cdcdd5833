// The process that decides whom to act as, becomes that user and acts.
#ifndef CARME_BACKEND_PRIVILEGED_ACTOR_H_
#define CARME_BACKEND_PRIVILEGED_ACTOR_H_

#include "absl/status/statusor.h"
#include "backend/privileged/account.h"
#include "backend/privileged/child.h"
#include "backend/privileged/config.h"
#include "backend/privileged/order.h"
#include "backend/privileged/policy.h"
#include "backend/privileged/system_call_filter.h"
#include "carme/privileged/v1/privileged.pb.h"

namespace carme::impersonator {

// Forks it: before there is a request, so that a request does not wait for a
// fork. It is root, has nothing open but the line to its parent and the log,
// and waits for its order; when its parent is gone it ends.
//
// It believes its parent nothing, since that has met foreign bytes: it asks NSS
// itself, asks the policy, and parses the request only as the user. What the
// policy says comes back first, the act's answer, a Response, after it.
// `slurm_is_ready`: InitSlurm was called in this process.
// RESOURCE_EXHAUSTED, UNAVAILABLE: there is none.
absl::StatusOr<Child> StartActor(const ImpersonatorConfig& config,
                                 const SystemCallFilters& filters,
                                 bool slurm_is_ready);

// Tells it whom to become and what for. Nothing that changes anything is done
// before Child::Go().
void OrderAct(const privileged::v1::Request& request, Child* actor);

// Whom to act as, if NSS can tell and the policy agrees. Blocks as NSS does.
// The codes are those of LookUpAccount() and MayActAs().
absl::StatusOr<Account> DecideWhom(const Order& order,
                                   const PrivilegedPolicy& policy);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_ACTOR_H_
