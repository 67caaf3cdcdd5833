// Descriptions of Slurm's limits. Pure.
#ifndef CARME_BACKEND_JOBS_DIAGNOSIS_SLURM_LIMITS_H_
#define CARME_BACKEND_JOBS_DIAGNOSIS_SLURM_LIMITS_H_

#include <string>
#include <string_view>
#include <vector>

#include "backend/slurm/snapshot.h"
#include "common/display_text.h"

namespace carme::backend {

// A limit of Slurm that applies to one user.
struct OwnSlurmLimit {
  std::string owner{};  // "account chem", "ada in account chem", "QOS short"
  SlurmLimit limit{};   // with the usage, if the limit is per user
  std::string sentence{};
};

// "4 GPUs", "10 GiB of memory", "120 CPU minutes".
DisplayText AmountOf(const SlurmLimit& limit, uint64_t amount);

// The limits of a user's associations, of their parent accounts, of the
// available QOS, and the time limits of the partitions.
std::vector<OwnSlurmLimit> SlurmLimitsOf(const SlurmSnapshot& cluster,
                                         const std::string& user, Uid uid);

// The names of the QOS that a user's associations may use.
std::vector<std::string> QosOf(const SlurmSnapshot& cluster,
                               const std::string& user);

// The numbers for the reason of a pending job ("AssocGrpGRES",
// "QOSMaxJobsPerUserLimit"), such as "4 of 4 GPUs are used in account chem".
// Empty: not known.
DisplayText NumbersBehind(const SlurmAccounting& accounting,
                          std::string_view reason, const SlurmJob& job);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_DIAGNOSIS_SLURM_LIMITS_H_
