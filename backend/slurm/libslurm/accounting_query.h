// Loads associations and QOS with their limits from slurmctld.
#ifndef CARME_BACKEND_SLURM_LIBSLURM_ACCOUNTING_QUERY_H_
#define CARME_BACKEND_SLURM_LIBSLURM_ACCOUNTING_QUERY_H_

#include "absl/status/statusor.h"
#include "backend/slurm/libslurm/libslurm.h"
#include "backend/slurm/limits/slurm_accounting.h"

namespace carme {

SlurmEnforcement EnforcementOf(const slurm_conf_t& conf);
// From slurmctld. Blocks like LoadAccounting(). UNAVAILABLE.
absl::StatusOr<SlurmEnforcement> LoadEnforcement();

// Blocks for up to MessageTimeout of slurm.conf. UNAVAILABLE. Leaves out what
// PrivateData hides from this process's user. REQUIRES: InitSlurm() or
// SlurmQuery.
absl::StatusOr<SlurmAccounting> LoadAccounting();

}  // namespace carme

#endif  // CARME_BACKEND_SLURM_LIBSLURM_ACCOUNTING_QUERY_H_
