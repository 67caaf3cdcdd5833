#include "backend/jobs/live_jobs.h"

#include <algorithm>
#include <utility>

#include "common/log.h"
#include "common/status.h"

namespace carme {

LiveJobs::LiveJobs(JobStore* store, JobFeed* feed, Routes* routes)
    : store_(store), feed_(feed), routes_(routes), writer_(store) {}

absl::Status LiveJobs::Load(absl::Time now) {
  ASSIGN_OR_RETURN(const std::vector<Job> jobs, store_->Live());
  absl::MutexLock lock(&mutex_);
  for (const Job& job : jobs) {
    jobs_[job.id] = {.job = job, .known_since = now, .stopping_since = now};
    ShowRoute(job);
  }
  return absl::OkStatus();
}

void LiveJobs::Add(const Job& job, absl::Time now) {
  absl::MutexLock lock(&mutex_);
  jobs_[job.id] = {.job = job,
                   .submitting = true,
                   .known_since = now,
                   .stopping_since = now};
  feed_->Publish(job);
}

std::optional<LiveJobs::Changed> LiveJobs::Change(const JobId& id,
                                                  const Edit& edit) {
  absl::MutexLock lock(&mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end() || HasEnded(found->second.job)) return std::nullopt;
  Apply(found->second, edit);
  return Changed{found->second.job, found->second.last};
}

void LiveJobs::ChangeAll(const Edit& edit) {
  absl::MutexLock lock(&mutex_);
  for (auto& [id, live] : jobs_) {
    if (!HasEnded(live.job)) Apply(live, edit);
  }
}

void LiveJobs::Apply(LiveJob& live, const Edit& edit) {
  const Job before = live.job;
  edit(live);
  if (live.job == before) return;
  // Watchers see a change before it is durable: after a crash Slurm and the
  // agent's report say the same again.
  feed_->Publish(live.job);
  ShowRoute(live.job);
  live.last = writer_.Put(live.job);
  if (HasEnded(live.job)) {
    LogInfo("job ended", {{"user", live.job.owner},
                          {"job", live.job.id.value()},
                          {"slurm_job", live.job.slurm_id.value()},
                          {"end", static_cast<int>(live.job.end)},
                          {"exit_code", live.job.exit_code},
                          {"reason", live.job.reason}});
  }
}

void LiveJobs::ShowRoute(const Job& job) {
  const bool reachable =
      (job.state == JobState::kStarting || job.state == JobState::kReady) &&
      job.agent.port != 0;
  if (reachable) {
    routes_->Set(job.id, job.agent);
  } else {
    routes_->Remove(job.id);
  }
}

std::optional<Job> LiveJobs::Find(const JobId& id) {
  absl::MutexLock lock(&mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return std::nullopt;
  return found->second.job;
}

bool LiveJobs::Has(const JobId& id) {
  absl::MutexLock lock(&mutex_);
  const auto found = jobs_.find(id);
  return found != jobs_.end() && !HasEnded(found->second.job);
}

std::vector<Job> LiveJobs::Of(const std::string& owner) {
  absl::MutexLock lock(&mutex_);
  std::vector<Job> jobs;
  for (const auto& [id, live] : jobs_) {
    if (live.job.owner == owner) jobs.push_back(live.job);
  }
  return jobs;
}

std::vector<Job> LiveJobs::All() {
  absl::MutexLock lock(&mutex_);
  std::vector<Job> jobs;
  for (const auto& [id, live] : jobs_) jobs.push_back(live.job);
  return jobs;
}

int LiveJobs::CountOf(const std::string& owner) {
  absl::MutexLock lock(&mutex_);
  return static_cast<int>(
      std::count_if(jobs_.begin(), jobs_.end(), [&](const auto& row) {
        const Job& job = row.second.job;
        return job.owner == owner && !HasEnded(job);
      }));
}

void LiveJobs::SettleEnds(const std::string& owner) {
  JobWriter::Ticket last = 0;
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& [id, live] : jobs_) {
      if (live.job.owner == owner && HasEnded(live.job)) {
        last = std::max(last, live.last);
      }
    }
  }
  // An error is the writer's to report; the count is then too high, never too
  // low.
  writer_.Wait(last).IgnoreError();
}

void LiveJobs::DropWritten() {
  absl::MutexLock lock(&mutex_);
  std::erase_if(jobs_, [this](const auto& row) {
    return HasEnded(row.second.job) && writer_.Written(row.second.last);
  });
}

}  // namespace carme
