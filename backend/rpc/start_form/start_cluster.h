// What the start form offers a user of the cluster.
#ifndef CARME_BACKEND_RPC_START_FORM_START_CLUSTER_H_
#define CARME_BACKEND_RPC_START_FORM_START_CLUSTER_H_

#include <string>
#include <vector>

#include "backend/identity/session.h"
#include "backend/jobs/jobs.h"
#include "backend/quotas/quotas.h"
#include "backend/slurm/scheduler.h"

namespace carme::v1 {
class GetClusterResponse;
}  // namespace carme::v1

namespace carme::backend {

// The response of GetCluster to this user, from the last snapshot of Slurm.
// `user` need not be a session that exists. `quotas`: null: only the limits of
// the configuration. May block for the directory.
void FillCluster(const Session& user, Scheduler* scheduler, Jobs* jobs,
                 Quotas* quotas, v1::GetClusterResponse* response);

// The accounts of Slurm that the user has an association with, the default
// first, then by name. Empty: Slurm has no accounting or hides it.
std::vector<std::string> AccountsOfUser(const SlurmSnapshot& cluster,
                                        const std::string& username);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_START_FORM_START_CLUSTER_H_
