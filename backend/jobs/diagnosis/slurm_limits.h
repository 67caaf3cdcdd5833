// Slurm's own limits in words. Pure.
#ifndef CARME_BACKEND_JOBS_DIAGNOSIS_SLURM_LIMITS_H_
#define CARME_BACKEND_JOBS_DIAGNOSIS_SLURM_LIMITS_H_

#include <string>
#include <string_view>
#include <vector>

#include "backend/slurm/snapshot.h"

namespace carme::backend {

// A limit of Slurm's that is about one person.
struct OwnSlurmLimit {
  std::string owner{};  // "account chem", "ada in account chem", "QOS short"
  SlurmLimit limit{};   // with what this person uses where it is a user's
  std::string sentence{};
};

// "4 GPUs", "10 GiB of memory", "120 CPU minutes".
std::string AmountOf(const SlurmLimit& limit, uint64_t amount);

// Of a user's associations, those of their accounts up to the root, the QOS
// that these may use, and the partitions' longest time.
std::vector<OwnSlurmLimit> SlurmLimitsOf(const SlurmSnapshot& cluster,
                                         const std::string& user, Uid uid);

// The QOS that a user's associations may use, by name.
std::vector<std::string> QosOf(const SlurmSnapshot& cluster,
                               const std::string& user);

// The numbers behind the word of a waiting job ("AssocGrpGRES",
// "QOSMaxJobsPerUserLimit"): "4 of 4 GPUs are used in account chem". Empty: not
// known.
std::string NumbersBehind(const SlurmAccounting& accounting,
                          std::string_view reason, const SlurmJob& job);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_DIAGNOSIS_SLURM_LIMITS_H_
