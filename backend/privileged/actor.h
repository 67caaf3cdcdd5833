// The process that becomes the user and acts.
#ifndef CARME_BACKEND_PRIVILEGED_ACTOR_H_
#define CARME_BACKEND_PRIVILEGED_ACTOR_H_

#include "absl/status/statusor.h"
#include "backend/privileged/account.h"
#include "backend/privileged/child.h"
#include "backend/privileged/config.h"
#include "backend/privileged/system_call_filter.h"
#include "carme/privileged/v1/privileged.pb.h"

namespace carme {

// Forks it: before there is a request, so that a request does not wait for a
// fork. It is root, has nothing open but the line to its parent and the log,
// and waits for its order; when its parent is gone it ends. It checks the order
// again, since its parent has met foreign bytes.
// `slurm_is_ready`: InitSlurm was called in this process.
// RESOURCE_EXHAUSTED, UNAVAILABLE: there is none.
absl::StatusOr<Child> StartActor(const ImpersonatorConfig& config,
                                 const SystemCallFilters& filters,
                                 bool slurm_is_ready);

// Lets it become the user and act. Its answer is a Response. REQUIRES: the
// request was checked, and the policy lets it act as `account`.
void OrderAct(const privileged::v1::Request& request, const Account& account,
              Child* actor);

}  // namespace carme

#endif  // CARME_BACKEND_PRIVILEGED_ACTOR_H_
