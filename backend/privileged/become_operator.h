// Acts that Slurm lets no user do for themselves are done as Slurm's own user,
// SlurmUser of slurm.conf: who that is, and whether there are such acts at all.
#ifndef CARME_BACKEND_PRIVILEGED_BECOME_OPERATOR_H_
#define CARME_BACKEND_PRIVILEGED_BECOME_OPERATOR_H_

#include "absl/status/statusor.h"
#include "backend/privileged/account.h"
#include "backend/privileged/config.h"

namespace carme::impersonator {

// Whether the configuration offers one of these acts; none unless it says so.
bool OffersOperatorActs(const ImpersonatorConfig& config);

// Slurm's own user, for BecomeUser(), without supplementary groups. To be
// called as root, for a user whom the policy allows. Reads slurm.conf where
// `slurm_is_ready` is false. Blocks as NSS does.
// PERMISSION_DENIED: no such act is offered; SlurmUser is root; somebody but
// root may write slurm.conf, who could name anybody there; or this libslurm
// does not tell.
// UNAVAILABLE: NSS could not tell.
absl::StatusOr<Account> LookUpOperator(const ImpersonatorConfig& config,
                                       bool slurm_is_ready);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_BECOME_OPERATOR_H_
