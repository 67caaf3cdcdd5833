// One question to slurmdbd, through libslurm.
#ifndef CARME_BACKEND_SLURM_ACCOUNTING_SLURMDBD_QUERY_H_
#define CARME_BACKEND_SLURM_ACCOUNTING_SLURMDBD_QUERY_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "backend/slurm/accounting/slurm_usage.h"

namespace carme::backend {

// The cluster's name where slurm.conf names a slurmdbd, else empty. REQUIRES:
// libslurm has read slurm.conf.
std::string AccountedCluster();

// Of no jobs: whether it answers. Blocks for as long as libslurm likes.
// UNAVAILABLE.
absl::StatusOr<std::vector<AccountedRun>> AskSlurmdbd(
    const std::string& cluster, const std::vector<SlurmJobId>& jobs);

// What a run's TRES, "1=4,4=1,1001=2,1002=2", say by the names of their
// numbers: {1: "cpu", 1001: "gres/gpu", 1002: "gres/gpu:h200"}.
void ReadTres(const std::string& tres,
              const std::map<int64_t, std::string>& names, AccountedRun* run);

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_ACCOUNTING_SLURMDBD_QUERY_H_
