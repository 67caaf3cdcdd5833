// What carme-metrics found on the nodes of a job, as entries of their history.
#ifndef CARME_BACKEND_RPC_METRICS_NODE_FINDINGS_H_
#define CARME_BACKEND_RPC_METRICS_NODE_FINDINGS_H_

#include <vector>

#include "backend/jobs/model/job.h"
#include "backend/node_history/rules/node_entry.h"
#include "carme/v1/metrics_access.pb.h"

namespace carme::backend {

// Findings on other nodes than the job's are left out. Pure.
std::vector<NodeEntry> NodeEntriesOf(
    const v1::RecordNodeFindingsRequest& request, const Job& job);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_METRICS_NODE_FINDINGS_H_
