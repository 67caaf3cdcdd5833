// Asks slurmctld for associations and QOS with their limits.
#ifndef CARME_BACKEND_SLURM_LIBSLURM_ACCOUNTING_QUERY_H_
#define CARME_BACKEND_SLURM_LIBSLURM_ACCOUNTING_QUERY_H_

#include "absl/status/statusor.h"
#include "backend/slurm/libslurm/libslurm.h"
#include "backend/slurm/limits/slurm_accounting.h"

namespace carme {

SlurmEnforcement EnforcementOf(const slurm_conf_t& conf);
// As slurmctld has it now; blocks like AskAccounting. UNAVAILABLE.
absl::StatusOr<SlurmEnforcement> AskEnforcement();

// Blocks as long as slurm.conf's MessageTimeout. UNAVAILABLE. What PrivateData
// hides from the backend's user is not there. REQUIRES: InitSlurm() or
// SlurmQuery.
absl::StatusOr<SlurmAccounting> AskAccounting();

}  // namespace carme

#endif  // CARME_BACKEND_SLURM_LIBSLURM_ACCOUNTING_QUERY_H_
