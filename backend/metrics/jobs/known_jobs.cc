#include "backend/metrics/jobs/known_jobs.h"

namespace carme::metrics {

void KnownJobs::SetRunning(const v1::MeasuredJob& job) {
  absl::MutexLock lock(&mutex_);
  if (ended_.contains(job.job_id())) return;
  running_[job.job_id()] = job;
}

bool KnownJobs::SetEnded(const std::string& job) {
  absl::MutexLock lock(&mutex_);
  running_.erase(job);
  if (!ended_.insert(job).second) return false;
  ended_order_.push_back(job);
  if (ended_order_.size() > kMaxEnded) {
    ended_.erase(ended_order_.front());
    ended_order_.pop_front();
  }
  return true;
}

bool KnownJobs::HasEnded(const std::string& job) const {
  absl::MutexLock lock(&mutex_);
  return ended_.contains(job);
}

std::optional<v1::MeasuredJob> KnownJobs::FindRunning(
    const std::string& job) const {
  absl::MutexLock lock(&mutex_);
  const auto found = running_.find(job);
  if (found == running_.end()) return std::nullopt;
  return found->second;
}

std::vector<std::string> KnownJobs::Running() const {
  absl::MutexLock lock(&mutex_);
  std::vector<std::string> jobs;
  for (const auto& [id, job] : running_) jobs.push_back(id);
  return jobs;
}

}  // namespace carme::metrics
