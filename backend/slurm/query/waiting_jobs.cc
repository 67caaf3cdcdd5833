#include "backend/slurm/query/waiting_jobs.h"

#include <algorithm>
#include <string_view>

namespace carme::backend {
namespace {

bool WaitsForOthers(const slurm_job_info_t& job) {
  if (job.job_state != JOB_PENDING || job.priority == 0) return false;
  return job.state_reason == WAIT_NO_REASON ||
         job.state_reason == WAIT_PRIORITY ||
         job.state_reason == WAIT_RESOURCES;
}

std::string_view PartitionsOf(const slurm_job_info_t& job) {
  return job.partition != nullptr ? job.partition : "";
}

}  // namespace

void WaitingJobs::Add(const slurm_job_info_t& job) {
  if (!WaitsForOthers(job)) return;
  std::string_view rest = PartitionsOf(job);
  while (!rest.empty()) {
    const size_t comma = std::min(rest.find(','), rest.size());
    const std::string_view partition = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    if (partition.empty()) continue;
    auto found = priorities_.find(partition);
    if (found == priorities_.end()) {
      found = priorities_.try_emplace(std::string(partition)).first;
    }
    found->second.push_back(job.priority);
  }
}

void WaitingJobs::Sort() {
  for (auto& [partition, priorities] : priorities_) {
    std::sort(priorities.begin(), priorities.end());
  }
}

int WaitingJobs::AheadOf(const slurm_job_info_t& job) const {
  if (!WaitsForOthers(job)) return 0;
  const std::string_view partitions = PartitionsOf(job);
  const auto found =
      priorities_.find(partitions.substr(0, partitions.find(',')));
  if (found == priorities_.end()) return 0;
  const std::vector<uint32_t>& all = found->second;
  return static_cast<int>(
      all.end() - std::upper_bound(all.begin(), all.end(), job.priority));
}

std::map<std::string, int> WaitingJobs::Counts() const {
  std::map<std::string, int> counts;
  for (const auto& [partition, priorities] : priorities_) {
    counts[partition] = static_cast<int>(priorities.size());
  }
  return counts;
}

}  // namespace carme::backend
