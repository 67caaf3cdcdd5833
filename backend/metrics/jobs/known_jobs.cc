#include "backend/metrics/jobs/known_jobs.h"

#include <utility>

namespace carme::metrics {

void KnownJobs::SetRunning(const v1::MeasuredJob& job) {
  absl::MutexLock lock(&mutex_);
  if (ended_.contains(job.job_id())) return;
  v1::MeasuredJob& known = running_[job.job_id()];
  std::set<std::string> returned(known.nodes().begin(), known.nodes().end());
  const auto before = returned_.find(job.job_id());
  if (before != returned_.end()) {
    returned.merge(before->second);
    returned_.erase(before);
  }
  for (const std::string& node : job.nodes()) returned.erase(node);
  if (!returned.empty()) returned_[job.job_id()] = std::move(returned);
  known = job;
}

std::set<std::string> KnownJobs::ReturnedNodes(const std::string& job) const {
  absl::MutexLock lock(&mutex_);
  const auto found = returned_.find(job);
  return found == returned_.end() ? std::set<std::string>() : found->second;
}

bool KnownJobs::SetEnded(const std::string& job) {
  absl::MutexLock lock(&mutex_);
  running_.erase(job);
  returned_.erase(job);
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
