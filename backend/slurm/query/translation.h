// From libslurm's records to the values of a snapshot.
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

// Of a comment `carme:<job id>`; nothing for any other.
std::optional<JobId> JobIdOfComment(std::string_view comment);

// Of a list with commas between, what follows `prefix` in the first word that
// begins with it.
std::string WordAfter(std::string_view list, std::string_view prefix);

// Nothing for a job whose comment names no job of Carme's and that is not
// `tracked`, by its id or its array's. Whether the job belongs to whom it says
// is for the caller to find out: any user can write any comment.
std::optional<SlurmJob> ToJob(const slurm_job_info_t& job,
                              const std::set<SlurmJobId>& tracked = {});
SlurmNode ToNode(const node_info_t& node, std::string_view feature);
SlurmReservation ToReservation(const reserve_info_t& reservation);
SlurmPartition ToPartition(const partition_info_t& partition);

SlurmState ToState(uint32_t job_state);
// Of a status as wait(2) gives it: the code, or 128 and the signal.
int ToExitCode(uint32_t wait_status);
bool IsUp(uint32_t node_state);

// What the cluster page shows beside the snapshot.
NodeDetail ToNodeDetail(const node_info_t& node);
// Counts a running job in its partition, and the GPUs that it will release.
// Jobs that do not run change nothing.
void AddRunning(const slurm_job_info_t& job, ClusterDetail* detail);

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_QUERY_TRANSLATION_H_
