#include "backend/jobs/lifecycle/cancel_queue.h"

#include <string>

#include "absl/strings/str_cat.h"

namespace carme::backend {
namespace {

constexpr absl::Duration kAgainAfter = absl::Seconds(10);

}  // namespace

CancelQueue::CancelQueue(Submitter* submitter, AuditLog* audit, const Clock* clock)
    : submitter_(submitter),
      audit_(audit),
      clock_(clock),
      thread_([this] { Run(); }) {}

CancelQueue::~CancelQueue() {
  {
    absl::MutexLock lock(&mutex_);
    stop_ = true;
  }
  thread_.join();
}

void CancelQueue::Ask(const Job& job, SlurmJobId slurm_job, const char* why) {
  absl::MutexLock lock(&mutex_);
  const absl::Time now = clock_->Now();
  std::erase_if(
      asked_, [&](const auto& row) { return row.second + kAgainAfter <= now; });
  if (!asked_.try_emplace(slurm_job, now).second) return;
  wishes_.insert_or_assign(slurm_job,
                           Wish{{job.owner, job.owner_uid}, job.id, why});
}

void CancelQueue::Run() {
  absl::MutexLock lock(&mutex_);
  const auto wanted = [this] { return stop_ || !wishes_.empty(); };
  while (true) {
    mutex_.Await(absl::Condition(&wanted));
    if (stop_) return;
    const auto first = wishes_.begin();
    const SlurmJobId slurm_job = first->first;
    const Wish wish = first->second;
    wishes_.erase(first);
    mutex_.Unlock();
    Cancel(slurm_job, wish);
    mutex_.Lock();
  }
}

void CancelQueue::Cancel(SlurmJobId slurm_job, const Wish& wish) {
  const std::string request = NewRequestId();
  const absl::Status status =
      submitter_->CancelAsUser(wish.user, slurm_job, wish.job, request);
  // Nobody asked: an act of the backend's own, as the job's owner.
  audit_->Record(
      {.act = "cancel",
       .actor = "carme-backend",
       .subject = wish.job.value(),
       .decision = status.ok() ? AuditDecision::kAllow : AuditDecision::kRefuse,
       .result =
           absl::StrCat("Slurm job ", slurm_job.value(), " of ", wish.user.name,
                        ", ", wish.why, ": ", status.ToString()),
       .request_id = request});
}

}  // namespace carme::backend
