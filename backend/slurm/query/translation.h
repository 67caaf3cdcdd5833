// Converts libslurm's records to the values of a snapshot.
#ifndef CARME_BACKEND_SLURM_QUERY_TRANSLATION_H_
#define CARME_BACKEND_SLURM_QUERY_TRANSLATION_H_

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "backend/slurm/cluster_detail.h"
#include "backend/slurm/libslurm/libslurm.h"
#include "backend/slurm/snapshot.h"

namespace carme::backend {

// The id in a comment `carme:<job id>`; empty for other comments.
std::optional<JobId> JobIdOfComment(std::string_view comment);

// The rest of the first word with `prefix` in a comma-separated list.
std::string WordAfter(std::string_view list, std::string_view prefix);

// Empty for a job whose comment names no job of Carme and that is not in
// `tracked` by its id or its array's. The caller must verify the owner: any
// user can write any comment.
std::optional<SlurmJob> ToJob(const slurm_job_info_t& job,
                              const std::set<SlurmJobId>& tracked = {});
SlurmNode ToNode(const node_info_t& node, std::string_view feature);
SlurmReservation ToReservation(const reserve_info_t& reservation);
SlurmPartition ToPartition(const partition_info_t& partition);

SlurmState ToState(uint32_t job_state);
// From a status of wait(2): the exit code, or 128 + signal.
int ToExitCode(uint32_t wait_status);
bool IsUp(uint32_t node_state);

// What the cluster page shows beside the snapshot.
NodeDetail ToNodeDetail(const node_info_t& node);
// Counts a running job in its partition, and the GPUs that it will release.
// Jobs that do not run change nothing.
void AddRunning(const slurm_job_info_t& job, ClusterDetail* detail);

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_QUERY_TRANSLATION_H_
