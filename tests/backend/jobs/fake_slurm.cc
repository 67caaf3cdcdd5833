#include "tests/backend/jobs/fake_slurm.h"

#include <unistd.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>
#include <utility>

#include "tests/backend/policy/clusters.h"

namespace carme::backend {
namespace {

constexpr uint32_t kFirstId = 100;
constexpr char kNoTasks[] = "-";

}  // namespace

SlurmJob SlurmJobOf(SlurmJobId id, const JobId& job, Uid uid,
                    SlurmState state) {
  SlurmJob slurm;
  slurm.id = id;
  slurm.carme_id = job;
  slurm.uid = uid;
  slurm.state = state;
  if (state == SlurmState::kRunning) slurm.nodes = {"a1"};
  return slurm;
}

FakeSlurm::FakeSlurm(const Clock* clock, std::string file)
    : clock_(*clock), file_(std::move(file)), cluster_(SmallCluster()) {
  Load();
  PollAskedAt(clock_.Now());
}

// A line for each change; of one job the last one counts.
void FakeSlurm::Load() {
  absl::MutexLock lock(&mutex_);
  std::ifstream in(file_);
  uint32_t id = 0, uid = 0;
  int state = 0;
  int64_t walltime_min = 0, started = 0, ends = 0;
  std::string carme_id, tasks;
  while (in >> id >> carme_id >> uid >> state >> walltime_min >> started >>
         ends >> tasks) {
    SlurmJob job = SlurmJobOf(SlurmJobId(id), JobId(carme_id), Uid(uid),
                              static_cast<SlurmState>(state));
    job.walltime = absl::Minutes(walltime_min);
    if (started != 0) job.started_at = absl::FromUnixSeconds(started);
    if (ends != 0) job.ends_at = absl::FromUnixSeconds(ends);
    if (tasks != kNoTasks) {
      job.array = job.id;
      job.tasks_waiting = tasks;
    }
    jobs_[job.id] = job;
  }
}

void FakeSlurm::Keep(const SlurmJob& job) {
  if (file_.empty()) return;
  const auto seconds = [](absl::Time time) {
    return time == absl::InfinitePast() || time == absl::InfiniteFuture()
               ? 0
               : absl::ToUnixSeconds(time);
  };
  std::ofstream out(file_, std::ios::app);
  out << job.id.value() << " " << job.carme_id.value() << " " << job.uid.value()
      << " " << static_cast<int>(job.state) << " "
      << absl::ToInt64Minutes(job.walltime.value_or(absl::ZeroDuration()))
      << " " << seconds(job.started_at) << " " << seconds(job.ends_at) << " "
      << (job.tasks_waiting.empty() ? std::string(kNoTasks) : job.tasks_waiting)
      << std::endl;
}

SlurmSnapshotPtr FakeSlurm::Snapshot() const {
  absl::MutexLock lock(&mutex_);
  return snapshot_;
}

void FakeSlurm::OnPoll(std::function<void(const SlurmSnapshotPtr&)> listener) {
  listener_ = std::move(listener);
}

void FakeSlurm::RefreshSoon() {
  mutex_.Lock();
  const bool prompt = prompt_;
  mutex_.Unlock();
  if (prompt) Poll();
}

void FakeSlurm::RefreshJob(SlurmJobId job) {
  {
    absl::MutexLock lock(&mutex_);
    refreshed_.push_back(job);
  }
  RefreshSoon();
}

void FakeSlurm::TrackUntilEnd(SlurmJobId job) {
  {
    absl::MutexLock lock(&mutex_);
    followed_.push_back(job);
  }
  RefreshSoon();
}

std::vector<SlurmJobId> FakeSlurm::RefreshedJobs() const {
  absl::MutexLock lock(&mutex_);
  return refreshed_;
}

std::vector<SlurmJobId> FakeSlurm::Followed() const {
  absl::MutexLock lock(&mutex_);
  return followed_;
}

void FakeSlurm::PollOne(SlurmJobId job) {
  auto seen = std::make_shared<SlurmSnapshot>();
  {
    absl::MutexLock lock(&mutex_);
    *seen = *snapshot_;
    seen->refreshed_jobs[job] = clock_.Now();
    const auto found = jobs_.find(job);
    if (found != jobs_.end()) seen->jobs.insert_or_assign(job, found->second);
    snapshot_ = seen;
  }
  if (listener_) listener_(seen);
}

void FakeSlurm::Poll() { PollAskedAt(clock_.Now()); }

void FakeSlurm::PollAskedAt(absl::Time asked_at) {
  auto seen = std::make_shared<SlurmSnapshot>();
  {
    absl::MutexLock lock(&mutex_);
    *seen = cluster_;
    seen->cluster_name = "test";
    seen->reachable = reachable_;
    seen->asked_at = asked_at;
    seen->since = asked_at;
    seen->version = reachable_ ? 1 : 2;
    seen->jobs = jobs_;
    std::erase_if(seen->jobs, [&](const auto& row) {
      const SlurmJob& job = row.second;
      return job.carme_id == JobId() && !tracked_.contains(job.id) &&
             !tracked_.contains(job.array);
    });
    if (!reachable_ && snapshot_ != nullptr) {
      seen->jobs = snapshot_->jobs;
      seen->asked_at = snapshot_->asked_at;
    }
    // Unless a test has put the node elsewhere.
    for (SlurmNode& node : seen->nodes) {
      if (!node.address.starts_with("192.0.2.")) node.address = "127.0.0.1";
    }
    snapshot_ = seen;
  }
  if (listener_) listener_(seen);
}

SlurmJobId FakeSlurm::Accept(const PosixUser& user,
                             const Submission& submission) {
  absl::MutexLock lock(&mutex_);
  const uint32_t next =
      jobs_.empty() ? kFirstId : jobs_.rbegin()->first.value() + 1;
  SlurmJob& job = jobs_[SlurmJobId(next)];
  job = SlurmJobOf(SlurmJobId(next), submission.job, user.uid,
                   SlurmState::kPending);
  job.reason = "Priority";
  job.walltime = submission.walltime;
  job.submitted = absl::FromUnixSeconds(absl::ToUnixSeconds(clock_.Now()));
  if (!submission.array.empty()) {
    job.array = job.id;
    job.tasks_waiting = submission.array;
  }
  accounts_[SlurmJobId(next)] = submission.account;
  Keep(job);
  return SlurmJobId(next);
}

std::string FakeSlurm::AccountOf(SlurmJobId id) const {
  absl::MutexLock lock(&mutex_);
  return accounts_.at(id);
}

class FakeSlurm::Prepared : public PreparedSubmission {
 public:
  Prepared(FakeSlurm* slurm, PosixUser user, Submission submission)
      : slurm_(slurm), user_(std::move(user)), submission_(submission) {}
  ~Prepared() override {
    absl::MutexLock lock(&slurm_->mutex_);
    slurm_->aborted_ += submitted_ ? 0 : 1;
  }
  absl::StatusOr<SlurmJobId> SubmitAsUser() override {
    submitted_ = true;
    return slurm_->Submit(user_, submission_);
  }

 private:
  FakeSlurm* const slurm_;
  const PosixUser user_;
  const Submission submission_;
  bool submitted_ = false;
};

std::unique_ptr<PreparedSubmission> FakeSlurm::Prepare(
    const PosixUser& user, const Submission& submission,
    const std::string& /*request_id*/) {
  if (at_prepare_) at_prepare_();
  return std::make_unique<Prepared>(this, user, submission);
}

absl::StatusOr<SlurmJobId> FakeSlurm::Submit(const PosixUser& user,
                                             const Submission& submission) {
  mutex_.Lock();
  const SlurmOutcome outcome = outcome_;
  mutex_.Unlock();
  SlurmJobId id;
  switch (outcome) {
    case SlurmOutcome::kRefused:
      return absl::FailedPreconditionError("Slurm says: Invalid account");
    case SlurmOutcome::kForbidden:
      return absl::PermissionDeniedError("user ada is refused");
    case SlurmOutcome::kUnavailable:
      return absl::UnavailableError("the impersonator cannot be reached");
    case SlurmOutcome::kProcessExits:
      _exit(0);
    case SlurmOutcome::kRequestLost:
      break;
    default:
      id = Accept(user, submission);
  }
  if (outcome == SlurmOutcome::kProcessExitsAfter) _exit(0);
  if (meanwhile_) meanwhile_();
  if (outcome == SlurmOutcome::kAccepted) return id;
  return absl::DeadlineExceededError("no answer");
}

absl::Status FakeSlurm::CancelAsUser(const PosixUser& user,
                                     SlurmJobId slurm_job, const JobId& /*job*/,
                                     const std::string& /*request_id*/) {
  mutex_.Lock();
  const SlurmOutcome outcome = outcome_;
  const std::function<void()> meanwhile = std::exchange(at_next_cancel_, {});
  mutex_.Unlock();
  if (meanwhile) meanwhile();
  if (outcome == SlurmOutcome::kUnavailable)
    return absl::UnavailableError("no Slurm");
  if (outcome == SlurmOutcome::kForbidden) {
    return absl::PermissionDeniedError("user ada is refused");
  }
  absl::MutexLock lock(&mutex_);
  const auto found = jobs_.find(slurm_job);
  if (found == jobs_.end()) return absl::OkStatus();
  if (found->second.uid != user.uid) return absl::PermissionDeniedError("no");
  found->second.state = SlurmState::kCancelled;
  found->second.ends_at = clock_.Now();
  cancelled_.push_back(slurm_job);
  Keep(found->second);
  return absl::OkStatus();
}

absl::Status FakeSlurm::UpdateAsUser(const PosixUser& user,
                                     SlurmJobId slurm_job, const JobId& /*job*/,
                                     const JobChange& change,
                                     const std::string& /*request_id*/) {
  absl::MutexLock lock(&mutex_);
  ++updates_;
  if (outcome_ == SlurmOutcome::kUnavailable)
    return absl::UnavailableError("no Slurm");
  const auto found = jobs_.find(slurm_job);
  if (found == jobs_.end() || found->second.uid != user.uid) {
    return absl::PermissionDeniedError("no");
  }
  SlurmJob& job = found->second;
  if (change.hold == JobChange::Hold::kRelease &&
      job.reason == "JobHeldAdmin") {
    return absl::FailedPreconditionError("slurm: access denied");
  }
  if (change.hold != JobChange::Hold::kUnchanged) {
    job.held = change.hold == JobChange::Hold::kHold;
    job.reason = job.held ? "JobHeldUser" : "None";
  }
  return absl::OkStatus();
}

absl::Status FakeSlurm::ReturnNodesAsUser(const PosixUser& user,
                                          SlurmJobId slurm_job,
                                          const JobId& /*job*/,
                                          const std::vector<std::string>& nodes,
                                          const std::string& /*request_id*/) {
  absl::MutexLock lock(&mutex_);
  ++returns_;
  if (outcome_ == SlurmOutcome::kUnavailable)
    return absl::UnavailableError("no Slurm");
  if (outcome_ == SlurmOutcome::kRefused) {
    return absl::FailedPreconditionError("slurm: no");
  }
  const auto found = jobs_.find(slurm_job);
  if (found == jobs_.end() || found->second.uid != user.uid) {
    return absl::PermissionDeniedError("no");
  }
  for (const std::string& node : nodes) {
    if (node == found->second.nodes.front()) {
      return absl::PermissionDeniedError("the batch script runs on it");
    }
    std::erase(found->second.nodes, node);
  }
  return absl::OkStatus();
}

int FakeSlurm::Returns() const {
  absl::MutexLock lock(&mutex_);
  return returns_;
}

absl::Status FakeSlurm::ExtendForUser(const PosixUser& user,
                                      SlurmJobId slurm_job,
                                      const JobId& /*job*/,
                                      absl::Duration walltime,
                                      const std::string& /*request_id*/) {
  if (meanwhile_) meanwhile_();
  absl::MutexLock lock(&mutex_);
  if (outcome_ == SlurmOutcome::kUnavailable)
    return absl::UnavailableError("no Slurm");
  if (outcome_ == SlurmOutcome::kRefused) {
    return absl::FailedPreconditionError("slurm: no");
  }
  const auto found = jobs_.find(slurm_job);
  if (found == jobs_.end() || found->second.uid != user.uid) {
    return absl::PermissionDeniedError("no");
  }
  SlurmJob& job = found->second;
  if (job.state != SlurmState::kRunning) {
    return absl::FailedPreconditionError("slurm: the job does not run");
  }
  if (outcome_ == SlurmOutcome::kRequestLost)
    return absl::DeadlineExceededError("late");
  if (job.walltime != walltime) ++extended_;
  job.walltime = walltime;
  job.ends_at = job.started_at + walltime;
  Keep(job);
  if (outcome_ == SlurmOutcome::kProcessExitsAfter) _exit(1);
  if (outcome_ == SlurmOutcome::kResponseLost)
    return absl::DeadlineExceededError("late");
  return absl::OkStatus();
}

int FakeSlurm::Updates() const {
  absl::MutexLock lock(&mutex_);
  return updates_;
}

void FakeSlurm::set_at_next_cancel(std::function<void()> meanwhile) {
  absl::MutexLock lock(&mutex_);
  at_next_cancel_ = std::move(meanwhile);
}

int FakeSlurm::Extended() const {
  absl::MutexLock lock(&mutex_);
  return extended_;
}

absl::StatusOr<SlurmStartEstimate> FakeSlurm::EstimateStartAsUser(
    const PosixUser& /*user*/, const Submission& submission,
    const std::string& /*request_id*/) {
  mutex_.Lock();
  const Foreseer foreseer = foreseer_;
  mutex_.Unlock();
  if (foreseer) return foreseer(submission);
  return SlurmStartEstimate{.starts_at = clock_.Now(), .nodes = {"a1"}};
}

void FakeSlurm::set_foreseer(Foreseer foreseer) {
  absl::MutexLock lock(&mutex_);
  foreseer_ = std::move(foreseer);
}

void FakeSlurm::set_cluster(SlurmSnapshot cluster) {
  absl::MutexLock lock(&mutex_);
  cluster_ = std::move(cluster);
}

absl::StatusOr<LogText> FakeSlurm::ReadLogAsUser(
    const PosixUser& user, const LogPart& part,
    const std::string& /*request_id*/) {
  mutex_.Lock();
  const AtRead at_read = at_read_;
  mutex_.Unlock();
  if (at_read) at_read(user);
  absl::MutexLock lock(&mutex_);
  if (!log_error_.ok()) return log_error_;
  if (log_.empty()) return absl::NotFoundError("nothing was written");
  const int64_t size = static_cast<int64_t>(log_.size());
  const int64_t offset = part.offset < 0
                             ? std::max<int64_t>(0, size + part.offset)
                             : std::min(size, part.offset);
  return LogText{log_.substr(static_cast<size_t>(offset),
                             static_cast<size_t>(part.max_bytes)),
                 offset, size};
}

void FakeSlurm::set_at_read(AtRead at_read) {
  absl::MutexLock lock(&mutex_);
  at_read_ = std::move(at_read);
}

void FakeSlurm::set_log(const std::string& log) {
  absl::MutexLock lock(&mutex_);
  log_ = log;
}

void FakeSlurm::set_log_error(const absl::Status& error) {
  absl::MutexLock lock(&mutex_);
  log_error_ = error;
}

void FakeSlurm::set_outcome(SlurmOutcome outcome) {
  absl::MutexLock lock(&mutex_);
  outcome_ = outcome;
}
void FakeSlurm::set_reachable(bool reachable) {
  absl::MutexLock lock(&mutex_);
  reachable_ = reachable;
}
void FakeSlurm::set_at_prepare(std::function<void()> at_prepare) {
  at_prepare_ = std::move(at_prepare);
}
void FakeSlurm::set_meanwhile(std::function<void()> meanwhile) {
  meanwhile_ = std::move(meanwhile);
}
void FakeSlurm::set_prompt(bool prompt) {
  absl::MutexLock lock(&mutex_);
  prompt_ = prompt;
}
void FakeSlurm::Put(const SlurmJob& job) {
  absl::MutexLock lock(&mutex_);
  jobs_[job.id] = job;
}
void FakeSlurm::Change(SlurmJobId id,
                       const std::function<void(SlurmJob&)>& edit) {
  absl::MutexLock lock(&mutex_);
  edit(jobs_.at(id));
}
std::set<SlurmJobId> FakeSlurm::Tracked() const {
  absl::MutexLock lock(&mutex_);
  return tracked_;
}
void FakeSlurm::Track(SlurmJobId job) {
  absl::MutexLock lock(&mutex_);
  tracked_.insert(job);
}
void FakeSlurm::TrackOnly(std::set<SlurmJobId> jobs) {
  absl::MutexLock lock(&mutex_);
  tracked_ = std::move(jobs);
}
void FakeSlurm::Run(SlurmJobId id) {
  absl::MutexLock lock(&mutex_);
  SlurmJob& job = jobs_.at(id);
  job.state = SlurmState::kRunning;
  job.reason = "None";
  job.nodes = {"a1"};
  job.started_at = clock_.Now();
  job.ends_at = clock_.Now() + job.walltime.value_or(absl::Hours(1));
  Keep(job);
}
void FakeSlurm::End(SlurmJobId id, SlurmState state, int exit_code) {
  absl::MutexLock lock(&mutex_);
  SlurmJob& job = jobs_.at(id);
  job.state = state;
  job.ends_at = clock_.Now();
  job.exit_code = exit_code;
}
void FakeSlurm::DeleteJob(SlurmJobId id) {
  absl::MutexLock lock(&mutex_);
  jobs_.erase(id);
}
std::vector<SlurmJob> FakeSlurm::Jobs() const {
  absl::MutexLock lock(&mutex_);
  std::vector<SlurmJob> jobs;
  for (const auto& [id, job] : jobs_) jobs.push_back(job);
  return jobs;
}
std::vector<SlurmJobId> FakeSlurm::Cancelled() const {
  absl::MutexLock lock(&mutex_);
  return cancelled_;
}
int FakeSlurm::Withdrawn() const {
  absl::MutexLock lock(&mutex_);
  return aborted_;
}
SlurmJobId FakeSlurm::OnlyJob() const {
  const std::vector<SlurmJob> jobs = Jobs();
  REQUIRE(jobs.size() == 1);
  return jobs[0].id;
}

}  // namespace carme::backend
