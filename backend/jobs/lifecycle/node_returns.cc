#include "backend/jobs/lifecycle/node_returns.h"

#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// Until then a poll shows that the nodes have left.
constexpr absl::Duration kPauseAfterReturn = absl::Minutes(1);
constexpr size_t kMaxNodes = 1000;  // ReturnNodes in privileged.proto

// Slurm may have returned the nodes, or will if it is asked again.
bool MayBeRepeated(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) ||
         absl::IsAborted(status) || absl::IsResourceExhausted(status);
}

}  // namespace

void NodeReturns::Enqueue(const Job& job, const IdleNodeGroup& due) {
  {
    absl::MutexLock lock(&mutex_);
    const absl::Time now = parts_.clock->Now();
    std::erase_if(requested_at_, [&](const auto& row) {
      return row.second + kPauseAfterReturn <= now &&
             !waiting_.contains(row.first);
    });
    if (!requested_at_.try_emplace(job.id, now).second) return;
    waiting_.insert_or_assign(
        job.id, NodeReturn{{job.owner, job.owner_uid}, job.slurm_id, due});
  }
  thread_.Wake();
}

absl::Duration NodeReturns::ReturnNext() {
  std::map<JobId, NodeReturn>::node_type next;
  {
    absl::MutexLock lock(&mutex_);
    if (waiting_.empty()) return absl::InfiniteDuration();
    next = waiting_.extract(waiting_.begin());
  }
  Return(next.key(), std::move(next.mapped()));
  return absl::ZeroDuration();
}

bool NodeReturns::KeepDue(const JobId& id, IdleNodeGroup* due) {
  bool may_return = false;
  parts_.active->Change(id, [&](ActiveJob& active) {
    may_return = IsJudgedByGpus(active.job) && MayReturnNodes(active.job);
    std::erase_if(due->nodes, [&](const auto& row) {
      const auto idle = active.idle_nodes.find(row.first);
      // A later warning is another one.
      return idle == active.idle_nodes.end() || !idle->second.state.warned ||
             idle->second.state.warned_at != row.second ||
             !active.returnable_nodes.contains(row.first);
    });
  });
  while (due->nodes.size() > kMaxNodes) {
    due->nodes.erase(std::prev(due->nodes.end()));
  }
  return may_return && !due->nodes.empty();
}

void NodeReturns::Return(const JobId& id, NodeReturn next) {
  if (!KeepDue(id, &next.due)) return;
  std::vector<std::string> nodes;
  for (const auto& [node, warned_at] : next.due.nodes) nodes.push_back(node);
  const std::string request_id = NewRequestId();
  const absl::Status status = parts_.submitter->ReturnNodesAsUser(
      next.user, next.slurm_job, id, nodes, request_id);
  const std::string names = nodes.size() == 1
                                ? nodes[0]
                                : absl::StrCat(nodes[0], "+", nodes.size() - 1);
  // Not requested by a user: an operation of the backend, as the job's owner.
  parts_.audit->Record(
      {.act = "return_nodes",
       .actor = "carme-backend",
       .subject = id.value(),
       .decision = status.ok() ? AuditDecision::kAllow : AuditDecision::kRefuse,
       .result = absl::StrCat("Slurm job ", next.slurm_job.value(), " of ",
                              next.user.name, ", idle GPUs of ", names, ": ",
                              StatusText(status)),
       .request_id = request_id});
  if (!status.ok()) {
    LogWarning("idle nodes not returned", {{"user", next.user.name},
                                           {"job", id.value()},
                                           {"nodes", names},
                                           {"error", StatusText(status)}});
  }
  parts_.active->Change(id, [&](ActiveJob& active) {
    // A report repeats the request while the job has the nodes.
    if (status.ok() || MayBeRepeated(status)) {
      NoteRequested(next.due, status.ok(), &active.idle_nodes);
    } else {
      NoteRefused(next.due, &active.idle_nodes);
    }
    active.job.idle =
        FirstNotice(active.idle, active.gpu_idle, active.idle_nodes);
  });
  if (status.ok()) parts_.scheduler->RefreshJob(next.slurm_job);
}

}  // namespace carme::backend
