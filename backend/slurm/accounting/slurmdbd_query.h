// One query of slurmdbd through libslurm.
#ifndef CARME_BACKEND_SLURM_ACCOUNTING_SLURMDBD_QUERY_H_
#define CARME_BACKEND_SLURM_ACCOUNTING_SLURMDBD_QUERY_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "backend/slurm/accounting/slurm_usage.h"

namespace carme::backend {

// The cluster's name if slurm.conf names a slurmdbd, otherwise empty. REQUIRES:
// libslurm has read slurm.conf.
std::string AccountedCluster();

// Without jobs it only checks that slurmdbd responds. May block for a minute.
// UNAVAILABLE.
absl::StatusOr<std::vector<AccountedRun>> QuerySlurmdbd(
    const std::string& cluster, const std::vector<SlurmJobId>& jobs);

// Parses a run's TRES, such as "1=4,4=1,1001=2,1002=2", with the names of their
// ids: {1: "cpu", 1001: "gres/gpu", 1002: "gres/gpu:h200"}.
void ReadTres(const std::string& tres,
              const std::map<int64_t, std::string>& names, AccountedRun* run);

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_ACCOUNTING_SLURMDBD_QUERY_H_
