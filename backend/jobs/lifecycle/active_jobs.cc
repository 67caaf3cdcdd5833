#include "backend/jobs/lifecycle/active_jobs.h"

#include <algorithm>
#include <set>
#include <utility>

#include "backend/jobs/model/slurm_identity.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// Reason and expected start of a pending job change often, and Slurm reports
// them again after a restart: not worth a write. The proxies' observations are
// not stored.
bool NotWorthAWrite(const Job& before, const Job& after) {
  Job same = after;
  same.in_use = before.in_use;
  same.places = before.places;
  same.pending_extension = before.pending_extension;
  if (before.state != v1::JOB_STATE_PENDING) return same == before;
  same.reason = before.reason;
  same.expected_start = before.expected_start;
  return same == before;
}

// An administrator's stop is recorded before it is executed. After a crash in
// between, the job is not STOPPING by an administrator, and a later stop is not
// theirs.
void DropUndoneStops(Job* job) {
  if (job->state == v1::JOB_STATE_STOPPING &&
      job->stopped_by == v1::JOB_STOPPED_BY_ADMINISTRATOR) {
    return;
  }
  std::erase_if(job->admin_actions, [](const AdminAction& action) {
    return action.kind == v1::AdminAction::KIND_STOP;
  });
}

}  // namespace

ActiveJobs::ActiveJobs(JobStore* store, JobFeed* feed, Routes* routes)
    : store_(store), feed_(feed), routes_(routes), writer_(store) {}

absl::Status ActiveJobs::Load(absl::Time now) {
  ASSIGN_OR_RETURN(const std::vector<Job> jobs, store_->Live());
  absl::MutexLock lock(&mutex_);
  for (Job job : jobs) {
    DropUndoneStops(&job);
    jobs_[job.id] = {.job = job,
                     .known_since = now,
                     .stopping_since = now,
                     .cancel_pending = job.state == v1::JOB_STATE_STOPPING,
                     .observed_at = job.created_at};
    if (IsLinkedJob(job)) linked_ids_.emplace(job.spec.linked_to, job.id);
    ShowRoute(job);
  }
  return absl::OkStatus();
}

void ActiveJobs::Add(const Job& job, absl::Time now) {
  absl::MutexLock lock(&mutex_);
  jobs_[job.id] = {.job = job,
                   .submitting = true,
                   .known_since = now,
                   .stopping_since = now,
                   .observed_at = job.created_at};
  if (IsLinkedJob(job)) linked_ids_.emplace(job.spec.linked_to, job.id);
  feed_->Publish(job);
  ShowRoute(job);
}

std::optional<ActiveJobs::Changed> ActiveJobs::Change(const JobId& id,
                                                      const Edit& edit) {
  absl::MutexLock lock(&mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end() || HasEnded(found->second.job)) return std::nullopt;
  Apply(found->second, edit);
  return Changed{found->second.job, found->second.last};
}

void ActiveJobs::ChangeAll(const Edit& edit) {
  absl::MutexLock lock(&mutex_);
  for (auto& [id, active] : jobs_) {
    if (!HasEnded(active.job)) Apply(active, edit);
  }
}

bool ActiveJobs::ChangeEnded(const JobId& id, const Edit& edit) {
  absl::MutexLock lock(&mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end() || !HasEnded(found->second.job)) return false;
  Apply(found->second, edit);
  return true;
}

void ActiveJobs::ForEach(const std::function<void(const Job&)>& look) {
  absl::MutexLock lock(&mutex_);
  for (const auto& [id, active] : jobs_) look(active.job);
}

void ActiveJobs::Apply(ActiveJob& active, const Edit& edit) {
  const Job before = active.job;
  edit(active);
  if (active.job == before) return;
  if (active.job.nodes != before.nodes) {
    active.node_report = WithoutReturnedNodes(active.node_report, active.job);
  }
  // Watchers see a change before it is durable: after a crash Slurm and the
  // agent report the same again.
  feed_->Publish(active.job);
  ShowRoute(active.job);
  if (NotWorthAWrite(before, active.job)) return;
  active.last = writer_.Put(active.job);
  if (HasEnded(active.job) && !HasEnded(before)) {
    LogInfo("job ended", {{"user", active.job.owner},
                          {"job", active.job.id.value()},
                          {"slurm_job", active.job.slurm_id.value()},
                          {"end", static_cast<int>(active.job.end)},
                          {"exit_code", active.job.exit_code},
                          {"reason", active.job.reason.text}});
  }
}

void ActiveJobs::ShowRoute(const Job& job) {
  const std::optional<JobStatus> status = JobStatusOf(job);
  if (!status) return routes_->Remove(job.id);  // not served
  std::optional<AgentEndpoint> endpoint;
  if (IsRunning(job) && job.agent.port != 0) endpoint = job.agent;
  routes_->Show(job.id, endpoint, *status);
}

std::optional<Job> ActiveJobs::Find(const JobId& id) {
  absl::MutexLock lock(&mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return std::nullopt;
  return found->second.job;
}

std::optional<JobId> ActiveJobs::RecordOf(const SlurmJob& slurm) {
  absl::MutexLock lock(&mutex_);
  std::optional<JobId> found;
  for (const auto& [id, active] : jobs_) {
    if (HasEnded(active.job) || !IsRecordsJob(active.job, slurm)) continue;
    // Of two candidates that Slurm has not distinguished yet, the comment
    // decides.
    if (!found || slurm.carme_id == id) found = id;
  }
  return found;
}

bool ActiveJobs::Has(const JobId& id) {
  absl::MutexLock lock(&mutex_);
  const auto found = jobs_.find(id);
  return found != jobs_.end() && !HasEnded(found->second.job);
}

std::vector<Job> ActiveJobs::Of(const std::string& owner) {
  absl::MutexLock lock(&mutex_);
  std::vector<Job> jobs;
  for (const auto& [id, active] : jobs_) {
    if (active.job.owner == owner) jobs.push_back(active.job);
  }
  return jobs;
}

std::vector<Job> ActiveJobs::All() {
  absl::MutexLock lock(&mutex_);
  std::vector<Job> jobs;
  for (const auto& [id, active] : jobs_) jobs.push_back(active.job);
  return jobs;
}

std::map<JobState, int> ActiveJobs::CountByState() {
  std::map<JobState, int> counts;
  ForEach([&](const Job& job) { ++counts[job.state]; });
  return counts;
}

int ActiveJobs::CountOf(const std::string& owner) {
  absl::MutexLock lock(&mutex_);
  return static_cast<int>(
      std::count_if(jobs_.begin(), jobs_.end(), [&](const auto& row) {
        const Job& job = row.second.job;
        return job.owner == owner && !HasEnded(job);
      }));
}

std::vector<const ActiveJob*> ActiveJobs::ActiveJobsLinkedTo(
    const JobId& id) const {
  std::vector<const ActiveJob*> found;
  const auto [first, last] = linked_ids_.equal_range(id);
  for (auto row = first; row != last; ++row) {
    const auto active = jobs_.find(row->second);
    if (active != jobs_.end() && !HasEnded(active->second.job)) {
      found.push_back(&active->second);
    }
  }
  std::sort(found.begin(), found.end(),
            [](const ActiveJob* a, const ActiveJob* b) {
              return std::pair(a->job.created_at, a->job.id) <
                     std::pair(b->job.created_at, b->job.id);
            });
  return found;
}

void ActiveJobs::SetLinkedJob(const JobId& id, const LinkedJob& report) {
  absl::MutexLock lock(&mutex_);
  const auto found = jobs_.find(id);
  if (found != jobs_.end()) found->second.node_report = report;
}

void ActiveJobs::SetReturnableNodes(const JobId& id,
                                    std::set<std::string> nodes) {
  absl::MutexLock lock(&mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return;
  const std::vector<std::string>& own = found->second.job.nodes;
  std::erase_if(nodes, [&](const std::string& node) {
    return std::find(own.begin(), own.end(), node) == own.end();
  });
  found->second.returnable_nodes = std::move(nodes);
}

std::optional<LinkedJobs> ActiveJobs::LinkedJobsOf(const JobId& id) {
  absl::MutexLock lock(&mutex_);
  const auto self = jobs_.find(id);
  if (self == jobs_.end() || !IsRunning(self->second.job)) return std::nullopt;
  const bool joins = IsLinkedJob(self->second.job);
  const auto first =
      joins ? jobs_.find(JobId(self->second.job.spec.linked_to)) : self;
  if (first == jobs_.end() || !IsRunning(first->second.job)) {
    return LinkedJobs{.over = true, .jobs = {}};
  }
  const Uid owner = first->second.job.owner_uid;
  if (first->second.node_report == nullptr) return std::nullopt;
  LinkedJobs all{.over = false, .jobs = {first->second.node_report}};
  std::set<std::string> nodes(first->second.job.nodes.begin(),
                              first->second.job.nodes.end());
  bool with_self = !joins;
  for (const ActiveJob* linked : ActiveJobsLinkedTo(first->first)) {
    const Job& job = linked->job;
    if (!IsRunning(job) || job.owner_uid != owner) continue;
    // After a restart of this process: the job had joined, and reports it
    // again.
    if (linked->node_report == nullptr && job.state == v1::JOB_STATE_READY) {
      return std::nullopt;
    }
    const bool apart =
        std::none_of(job.nodes.begin(), job.nodes.end(),
                     [&](const auto& node) { return nodes.contains(node); });
    if (linked->node_report == nullptr || !apart) continue;
    nodes.insert(job.nodes.begin(), job.nodes.end());
    all.jobs.push_back(linked->node_report);
    with_self = with_self || job.id == id;
  }
  if (!with_self) return std::nullopt;
  return all;
}

std::vector<Job> ActiveJobs::JobsLinkedTo(const JobId& id) {
  absl::MutexLock lock(&mutex_);
  std::vector<Job> jobs;
  for (const ActiveJob* active : ActiveJobsLinkedTo(id))
    jobs.push_back(active->job);
  return jobs;
}

std::vector<Job> ActiveJobs::Orphans() {
  absl::MutexLock lock(&mutex_);
  std::vector<Job> orphans;
  for (const auto& [id, linked] : linked_ids_) {
    const auto active = jobs_.find(linked);
    if (active == jobs_.end() || HasEnded(active->second.job) ||
        active->second.job.state == v1::JOB_STATE_STOPPING) {
      continue;
    }
    const auto first = jobs_.find(id);
    if (first == jobs_.end() || !IsRunning(first->second.job)) {
      orphans.push_back(active->second.job);
    }
  }
  return orphans;
}

void ActiveJobs::FlushEnds(const std::string& owner) {
  WriteBehind::Ticket last = 0;
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& [id, active] : jobs_) {
      if (active.job.owner == owner && HasEnded(active.job)) {
        last = std::max(last, active.last);
      }
    }
  }
  // The writer reports its errors; the count is then too high, never too low.
  writer_.Wait(last).IgnoreError();
}

void ActiveJobs::DropWritten() {
  absl::MutexLock lock(&mutex_);
  std::erase_if(jobs_, [this](const auto& row) {
    return HasEnded(row.second.job) && writer_.Written(row.second.last);
  });
  std::erase_if(linked_ids_, [this](const auto& row) {
    return jobs_.find(row.second) == jobs_.end();
  });
}

}  // namespace carme::backend
