// The size of a job, from Slurm's record.
#ifndef CARME_BACKEND_SLURM_QUERY_JOB_SIZE_H_
#define CARME_BACKEND_SLURM_QUERY_JOB_SIZE_H_

#include <map>
#include <string>
#include <string_view>

#include "backend/slurm/libslurm/libslurm.h"
#include "backend/slurm/snapshot.h"

namespace carme::backend {

// Nodes and GPUs are allocated ones, for a pending job the requested maximum.
// CPUs and memory are requested ones, because Slurm rounds allocations up; for
// a job that requests whole nodes, or all of their memory, they are allocated
// ones.
SlurmSize SizeOf(const slurm_job_info_t& job);

// The GPUs in one of the tres_per_… fields by type, "gpu" where untyped:
// "gres:gpu:h200:2,license:x:1" and, since Slurm 23.11, "gres/gpu:h200=2".
std::map<std::string, int> ParseGpuRequest(std::string_view tres);

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_QUERY_JOB_SIZE_H_
