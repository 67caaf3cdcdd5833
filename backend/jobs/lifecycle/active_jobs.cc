#include "backend/jobs/lifecycle/active_jobs.h"

#include <algorithm>
#include <set>
#include <utility>

#include "backend/jobs/model/slurm_identity.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// Why and until when it waits changes often, and Slurm says it again at the
// first look after a restart: not worth a write. What proxies see is not in the
// table.
bool NotWorthAWrite(const Job& before, const Job& after) {
  Job same = after;
  same.in_use = before.in_use;
  same.places = before.places;
  same.pending_extension = before.pending_extension;
  if (before.state != JobState::kPending) return same == before;
  same.reason = before.reason;
  same.expected_start = before.expected_start;
  return same == before;
}

// An administrator's stop is recorded before it is made. Where the process
// ended in between, the job is not STOPPING by an administrator, and whatever
// stops it later was not that administrator.
void DropUndoneStops(Job* job) {
  if (job->state == JobState::kStopping &&
      job->stopped_by == JobStoppedBy::kAdministrator) {
    return;
  }
  std::erase_if(job->admin_actions, [](const AdminAction& action) {
    return action.kind == AdminActionKind::kStop;
  });
}

}  // namespace

LiveJobs::LiveJobs(JobStore* store, JobFeed* feed, Routes* routes)
    : store_(store), feed_(feed), routes_(routes), writer_(store) {}

absl::Status LiveJobs::Load(absl::Time now) {
  ASSIGN_OR_RETURN(const std::vector<Job> jobs, store_->Live());
  absl::MutexLock lock(&mutex_);
  for (Job job : jobs) {
    DropUndoneStops(&job);
    jobs_[job.id] = {.job = job,
                     .known_since = now,
                     .stopping_since = now,
                     .cancel_pending = job.state == JobState::kStopping,
                     .looked_at = job.created_at};
    if (IsCompanion(job)) companions_.emplace(job.spec.companion_of, job.id);
    ShowRoute(job);
  }
  return absl::OkStatus();
}

void LiveJobs::Add(const Job& job, absl::Time now) {
  absl::MutexLock lock(&mutex_);
  jobs_[job.id] = {.job = job,
                   .submitting = true,
                   .known_since = now,
                   .stopping_since = now,
                   .looked_at = job.created_at};
  if (IsCompanion(job)) companions_.emplace(job.spec.companion_of, job.id);
  feed_->Publish(job);
  ShowRoute(job);
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

bool LiveJobs::ChangeEnded(const JobId& id, const Edit& edit) {
  absl::MutexLock lock(&mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end() || !HasEnded(found->second.job)) return false;
  Apply(found->second, edit);
  return true;
}

void LiveJobs::ForEach(const std::function<void(const Job&)>& look) {
  absl::MutexLock lock(&mutex_);
  for (const auto& [id, live] : jobs_) look(live.job);
}

void LiveJobs::Apply(LiveJob& live, const Edit& edit) {
  const Job before = live.job;
  edit(live);
  if (live.job == before) return;
  // Watchers see a change before it is durable: after a crash Slurm and the
  // agent's report say the same again.
  feed_->Publish(live.job);
  ShowRoute(live.job);
  if (NotWorthAWrite(before, live.job)) return;
  live.last = writer_.Put(live.job);
  if (HasEnded(live.job) && !HasEnded(before)) {
    LogInfo("job ended", {{"user", live.job.owner},
                          {"job", live.job.id.value()},
                          {"slurm_job", live.job.slurm_id.value()},
                          {"end", static_cast<int>(live.job.end)},
                          {"exit_code", live.job.exit_code},
                          {"reason", live.job.reason}});
  }
}

void LiveJobs::ShowRoute(const Job& job) {
  const std::optional<JobStatus> standing = StandingOf(job);
  if (!standing) return routes_->Remove(job.id);  // nothing of it is served
  std::optional<AgentEndpoint> endpoint;
  if (IsRunning(job) && job.agent.port != 0) endpoint = job.agent;
  routes_->Show(job.id, endpoint, *standing);
}

std::optional<Job> LiveJobs::Find(const JobId& id) {
  absl::MutexLock lock(&mutex_);
  const auto found = jobs_.find(id);
  if (found == jobs_.end()) return std::nullopt;
  return found->second.job;
}

std::optional<JobId> LiveJobs::RecordOf(const SlurmJob& slurm) {
  absl::MutexLock lock(&mutex_);
  std::optional<JobId> found;
  for (const auto& [id, live] : jobs_) {
    if (HasEnded(live.job) || !IsRecordsJob(live.job, slurm)) continue;
    // Of two, before Slurm has told them apart, the comment decides.
    if (!found || slurm.carme_id == id) found = id;
  }
  return found;
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

LiveJobs::Companions LiveJobs::LiveCompanionsOf(const JobId& id) const {
  Companions found;
  const auto [first, last] = companions_.equal_range(id);
  for (auto row = first; row != last; ++row) {
    const auto live = jobs_.find(row->second);
    if (live != jobs_.end() && !HasEnded(live->second.job)) {
      found.push_back(&live->second);
    }
  }
  std::sort(found.begin(), found.end(), [](const LiveJob* a, const LiveJob* b) {
    return std::pair(a->job.created_at, a->job.id) <
           std::pair(b->job.created_at, b->job.id);
  });
  return found;
}

void LiveJobs::SetMember(const JobId& id, const Member& member) {
  absl::MutexLock lock(&mutex_);
  const auto found = jobs_.find(id);
  if (found != jobs_.end()) found->second.member = member;
}

std::optional<Family> LiveJobs::FamilyOf(const JobId& id) {
  absl::MutexLock lock(&mutex_);
  const auto self = jobs_.find(id);
  if (self == jobs_.end() || !IsRunning(self->second.job)) return std::nullopt;
  const bool joins = IsCompanion(self->second.job);
  const auto first =
      joins ? jobs_.find(JobId(self->second.job.spec.companion_of)) : self;
  if (first == jobs_.end() || !IsRunning(first->second.job)) {
    return Family{.over = true, .members = {}};
  }
  const Uid owner = first->second.job.owner_uid;
  if (first->second.member == nullptr) return std::nullopt;
  Family family{.over = false, .members = {first->second.member}};
  std::set<std::string> nodes(first->second.job.nodes.begin(),
                              first->second.job.nodes.end());
  bool with_self = !joins;
  for (const LiveJob* companion : LiveCompanionsOf(first->first)) {
    const Job& job = companion->job;
    if (!IsRunning(job) || job.owner_uid != owner) continue;
    // After a restart of this process: it had joined, and will say so again.
    if (companion->member == nullptr && job.state == JobState::kReady) {
      return std::nullopt;
    }
    const bool apart =
        std::none_of(job.nodes.begin(), job.nodes.end(),
                     [&](const auto& node) { return nodes.contains(node); });
    if (companion->member == nullptr || !apart) continue;
    nodes.insert(job.nodes.begin(), job.nodes.end());
    family.members.push_back(companion->member);
    with_self = with_self || job.id == id;
  }
  if (!with_self) return std::nullopt;
  return family;
}

std::vector<Job> LiveJobs::CompanionsOf(const JobId& id) {
  absl::MutexLock lock(&mutex_);
  std::vector<Job> jobs;
  for (const LiveJob* live : LiveCompanionsOf(id)) jobs.push_back(live->job);
  return jobs;
}

std::vector<Job> LiveJobs::Orphans() {
  absl::MutexLock lock(&mutex_);
  std::vector<Job> orphans;
  for (const auto& [id, companion] : companions_) {
    const auto live = jobs_.find(companion);
    if (live == jobs_.end() || HasEnded(live->second.job) ||
        live->second.job.state == JobState::kStopping) {
      continue;
    }
    const auto first = jobs_.find(id);
    if (first == jobs_.end() || !IsRunning(first->second.job)) {
      orphans.push_back(live->second.job);
    }
  }
  return orphans;
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
  std::erase_if(companions_, [this](const auto& row) {
    return jobs_.find(row.second) == jobs_.end();
  });
}

}  // namespace carme::backend
