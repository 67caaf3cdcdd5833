// From libslurm's records to what the cluster's page shows.
#ifndef CARME_BACKEND_SLURM_DETAIL_QUERY_H_
#define CARME_BACKEND_SLURM_DETAIL_QUERY_H_

#include <string>
#include <vector>

#include "backend/slurm/cluster_detail.h"
#include "backend/slurm/libslurm.h"

namespace carme::backend {

NodeDetail ToNodeDetail(const node_info_t& node);

// Counts the job where it runs, and what it gives back. Jobs that do not run
// change nothing.
void AddRunning(const slurm_job_info_t& job, ClusterDetail* detail);

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_DETAIL_QUERY_H_
