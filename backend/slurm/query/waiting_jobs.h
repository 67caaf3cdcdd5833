// How many jobs wait ahead of one, of all that Slurm has.
#ifndef CARME_BACKEND_SLURM_QUERY_WAITING_JOBS_H_
#define CARME_BACKEND_SLURM_QUERY_WAITING_JOBS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "backend/slurm/libslurm/libslurm.h"

namespace carme::backend {

// Counts those that wait for resources or for others, in each partition that
// they may run in; not what is held or waits for a time or another job. An
// array of which no task has started is one.
class WaitingJobs {
 public:
  void Add(const slurm_job_info_t& job);
  // Once, after the last one.
  void Sort();
  // With a higher priority in the first of the job's partitions; 0 for a job
  // that does not wait for others.
  int AheadOf(const slurm_job_info_t& job) const;
  std::map<std::string, int> Counts() const;

 private:
  // By partition.
  std::map<std::string, std::vector<uint32_t>, std::less<>> priorities_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_SLURM_QUERY_WAITING_JOBS_H_
