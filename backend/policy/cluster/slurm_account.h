// Whether Slurm accepts a job by its account and QOS. Pure.
#ifndef CARME_BACKEND_POLICY_CLUSTER_SLURM_ACCOUNT_H_
#define CARME_BACKEND_POLICY_CLUSTER_SLURM_ACCOUNT_H_

#include <string>
#include <vector>

#include "backend/policy/spec/job_spec.h"
#include "backend/policy/spec/violation.h"
#include "backend/slurm/snapshot.h"
#include "common/ids.h"

namespace carme::backend {

// In which account a job is submitted.
struct JobAccount {
  std::string username{};
  Uid uid{};
  std::string account{};  // empty: the user's default
  std::string field{};    // of the spec that it comes from
};

// Violations where Slurm enforces associations or QOS, what it has of them is
// known, and it would refuse the job: a QOS or an account that does not exist,
// or that this user may not use. None where PrivateData may hide what decides.
std::vector<Violation> CheckSlurmAccount(const SlurmSnapshot& cluster,
                                         const JobAccount& whose,
                                         const JobSpec& spec);

// "" when Slurm has the account, or when it is not known whether it has. Else
// what is wrong, in words for an administrator.
std::string WrongAccount(const SlurmSnapshot& cluster,
                         const std::string& account);
// The same of a QOS and of a partition.
std::string WrongQos(const SlurmSnapshot& cluster, const std::string& qos);
std::string WrongPartition(const SlurmSnapshot& cluster,
                           const std::string& partition);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_CLUSTER_SLURM_ACCOUNT_H_
