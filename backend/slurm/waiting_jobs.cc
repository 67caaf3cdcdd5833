#include "backend/slurm/waiting_jobs.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/str_split.h"

namespace carme {
namespace {

bool WaitsForOthers(const slurm_job_info_t& job) {
  if (job.job_state != JOB_PENDING || job.priority == 0) return false;
  return job.state_reason == WAIT_NO_REASON ||
         job.state_reason == WAIT_PRIORITY ||
         job.state_reason == WAIT_RESOURCES;
}

std::vector<std::string> PartitionsOf(const slurm_job_info_t& job) {
  if (job.partition == nullptr) return {};
  return absl::StrSplit(job.partition, ',', absl::SkipEmpty());
}

}  // namespace

void WaitingJobs::Add(const slurm_job_info_t& job) {
  if (!WaitsForOthers(job)) return;
  for (const std::string& partition : PartitionsOf(job)) {
    priorities_[partition].push_back(job.priority);
  }
}

void WaitingJobs::Sort() {
  for (auto& [partition, priorities] : priorities_) {
    std::sort(priorities.begin(), priorities.end());
  }
}

int WaitingJobs::AheadOf(const slurm_job_info_t& job) const {
  const std::vector<std::string> partitions = PartitionsOf(job);
  if (!WaitsForOthers(job) || partitions.empty()) return 0;
  const auto found = priorities_.find(partitions[0]);
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

}  // namespace carme
