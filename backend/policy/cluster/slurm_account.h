// Whether Slurm accepts a job with its account and QOS. Pure.
#ifndef CARME_BACKEND_POLICY_CLUSTER_SLURM_ACCOUNT_H_
#define CARME_BACKEND_POLICY_CLUSTER_SLURM_ACCOUNT_H_

#include <string>
#include <vector>

#include "backend/policy/spec/job_spec.h"
#include "backend/policy/spec/violation.h"
#include "backend/slurm/snapshot.h"
#include "common/display_text.h"
#include "common/ids.h"

namespace carme::backend {

// The account for the submission of a job.
struct JobAccount {
  std::string username{};
  Uid uid{};
  std::string account{};  // empty: the user's default
  std::string field{};    // the spec's field that sets it
};

// The violations if Slurm enforces associations or QOS, knows them, and would
// reject the job: its QOS or account does not exist or is not available to the
// user. None if PrivateData may hide them.
std::vector<Violation> CheckSlurmAccount(const SlurmSnapshot& cluster,
                                         const JobAccount& whose,
                                         const JobSpec& spec);

// Empty: Slurm has the account, or it is not known. Otherwise the problem, for
// an administrator.
DisplayText WrongAccount(const SlurmSnapshot& cluster,
                         const std::string& account);
// The same for a QOS and for a partition.
DisplayText WrongQos(const SlurmSnapshot& cluster, const std::string& qos);
DisplayText WrongPartition(const SlurmSnapshot& cluster,
                           const std::string& partition);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_CLUSTER_SLURM_ACCOUNT_H_
