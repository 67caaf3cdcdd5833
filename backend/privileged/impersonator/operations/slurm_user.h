// Operations that Slurm does not allow a job's owner run as SlurmUser of
// slurm.conf: who that is, and whether the site offers such operations.
#ifndef CARME_BACKEND_PRIVILEGED_IMPERSONATOR_OPERATIONS_SLURM_USER_H_
#define CARME_BACKEND_PRIVILEGED_IMPERSONATOR_OPERATIONS_SLURM_USER_H_

#include "absl/status/statusor.h"
#include "backend/privileged/impersonator/authz/config.h"
#include "backend/privileged/privsep/account.h"

namespace carme::impersonator {

// Whether the configuration offers one of these operations. Off by default.
bool OffersSlurmUserOperations(const ImpersonatorConfig& config);

// SlurmUser, for BecomeUser(), without supplementary groups. REQUIRES: root;
// the policy allows the user on whose behalf it is called. Reads slurm.conf if
// `slurm_is_ready` is false. Blocks as long as NSS blocks.
// PERMISSION_DENIED: no such operation is offered; SlurmUser is root; users
// other than root can write slurm.conf, and so could name any user there; or
// this libslurm does not report SlurmUser. UNAVAILABLE: NSS could not tell.
absl::StatusOr<Account> LookUpSlurmUser(const ImpersonatorConfig& config,
                                        bool slurm_is_ready);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_IMPERSONATOR_OPERATIONS_SLURM_USER_H_
