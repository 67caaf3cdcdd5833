// How many pending jobs of the whole cluster are ahead of a job.
#ifndef CARME_BACKEND_SLURM_QUERY_WAITING_JOBS_H_
#define CARME_BACKEND_SLURM_QUERY_WAITING_JOBS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "backend/slurm/libslurm/libslurm.h"

namespace carme::backend {

// Counts jobs that wait for resources or priority, in each partition that they
// may run in; not jobs that are held or wait for a time or another job. An
// array without started tasks counts once.
class WaitingJobs {
 public:
  void Add(const slurm_job_info_t& job);
  // Call once, after the last Add().
  void Sort();
  // Jobs with a higher priority in the first of the job's partitions; 0 for a
  // job that does not wait for resources or priority.
  int AheadOf(const slurm_job_info_t& job) const;
  std::map<std::string, int> Counts() const;

 private:
  // By partition.
  std::map<std::string, std::vector<uint32_t>, std::less<>> priorities_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_QUERY_WAITING_JOBS_H_
