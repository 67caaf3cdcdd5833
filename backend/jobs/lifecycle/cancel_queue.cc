#include "backend/jobs/lifecycle/cancel_queue.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr absl::Duration kAgainAfter = absl::Seconds(10);

}  // namespace

CancelQueue::CancelQueue(Submitter* submitter, AuditLog* audit,
                         const Clock* clock)
    : submitter_(submitter), audit_(audit), clock_(clock) {}

void CancelQueue::Enqueue(const Job& job, SlurmJobId slurm_job,
                          const char* why) {
  {
    absl::MutexLock lock(&mutex_);
    const absl::Time now = clock_->Now();
    std::erase_if(requested_at_, [&](const auto& row) {
      return row.second + kAgainAfter <= now;
    });
    if (!requested_at_.try_emplace(slurm_job, now).second) return;
    requests_.insert_or_assign(
        slurm_job, CancelRequest{{job.owner, job.owner_uid}, job.id, why});
  }
  thread_.Wake();
}

absl::Duration CancelQueue::CancelNext() {
  std::map<SlurmJobId, CancelRequest>::node_type next;
  {
    absl::MutexLock lock(&mutex_);
    if (requests_.empty()) return absl::InfiniteDuration();
    next = requests_.extract(requests_.begin());
  }
  Cancel(next.key(), next.mapped());
  return absl::ZeroDuration();
}

void CancelQueue::Cancel(SlurmJobId slurm_job, const CancelRequest& request) {
  const std::string request_id = NewRequestId();
  const absl::Status status = submitter_->CancelAsUser(request.user, slurm_job,
                                                       request.job, request_id);
  // Not requested by a user: an operation of the backend, as the job's owner.
  audit_->Record(
      {.act = "cancel",
       .actor = "carme-backend",
       .subject = request.job.value(),
       .decision = status.ok() ? AuditDecision::kAllow : AuditDecision::kRefuse,
       .result = absl::StrCat("Slurm job ", slurm_job.value(), " of ",
                              request.user.name, ", ", request.why, ": ",
                              StatusText(status)),
       .request_id = request_id});
}

}  // namespace carme::backend
