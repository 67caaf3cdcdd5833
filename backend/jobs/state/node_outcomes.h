// What the end of a job, or of a task of an array, says about its nodes.
#ifndef CARME_BACKEND_JOBS_STATE_NODE_OUTCOMES_H_
#define CARME_BACKEND_JOBS_STATE_NODE_OUTCOMES_H_

#include <vector>

#include "backend/jobs/model/job.h"
#include "backend/node_history/rules/node_entry.h"
#include "backend/slurm/snapshot.h"

namespace carme::backend {

// "node_fail": on the job's nodes that are not up, or on all of them if it is
// not known which failed. "out_of_memory" and "signal": of jobs with one node.
// Empty for other ends. Pure. REQUIRES: `slurm` has ended.
std::vector<NodeEntry> NodeOutcomesOf(const Job& job, const SlurmJob& slurm,
                                      const SlurmSnapshot& cluster);

// The same for the ends that an observation of `records` has added to `before`.
// Tasks of an array that ended alike on a node make one entry. Pure.
std::vector<NodeEntry> NewNodeOutcomes(
    const Job& before, const Job& now,
    const std::vector<const SlurmJob*>& records, const SlurmSnapshot& cluster);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_STATE_NODE_OUTCOMES_H_
