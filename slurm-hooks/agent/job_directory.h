// The directories of a job: its runtime directory, where the sockets of its
// apps lie, and its scratch directory. The Prolog makes them; the agent only
// looks whether they are what they must be, because their mode is the one wall
// between the apps and other users of the node.
#ifndef CARME_SLURM_HOOKS_AGENT_JOB_DIRECTORY_H_
#define CARME_SLURM_HOOKS_AGENT_JOB_DIRECTORY_H_

#include <string>

#include "absl/status/statusor.h"
#include "common/ids.h"

namespace carme::agent {

// The path of `<parent>/<job>`. NOT_FOUND: the Prolog did not make it;
// FAILED_PRECONDITION: a link or a file, not `uid`'s, or not 0700.
absl::StatusOr<std::string> FindJobDirectory(const std::string& parent,
                                             SlurmJobId job, Uid uid);

// Why the Prolog says that the job cannot begin; empty when it says nothing.
std::string ReasonOfProlog(const std::string& parent, SlurmJobId job);

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_JOB_DIRECTORY_H_
