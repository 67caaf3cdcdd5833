// The size of a job in Slurm's record of it.
#ifndef CARME_BACKEND_SLURM_QUERY_JOB_SIZE_H_
#define CARME_BACKEND_SLURM_QUERY_JOB_SIZE_H_

#include <map>
#include <string>
#include <string_view>

#include "backend/slurm/libslurm/libslurm.h"
#include "backend/slurm/snapshot.h"

namespace carme::backend {

// Nodes and GPUs are those that a job holds; of one that waits they are those
// that it requests, at most. CPUs and memory are requested ones: Slurm rounds
// up what it allocates. A job that requests all of its nodes, or all of their
// memory, has what it is allocated.
SlurmSize SizeOf(const slurm_job_info_t& job);

// The GPUs of one of the tres_per_… texts by type, "gpu" where untyped:
// "gres:gpu:h200:2,license:x:1" and, since Slurm 23.11, "gres/gpu:h200=2".
std::map<std::string, int> ParseGpuRequest(std::string_view tres);

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_QUERY_JOB_SIZE_H_
