#include "backend/jobs/lifecycle/node_returns.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backend/jobs/lifecycle/idle_texts.h"
#include "backend/notifications/event.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// Until then a poll shows that the nodes have left.
constexpr absl::Duration kPauseAfterReturn = absl::Minutes(1);

// Slurm may have returned the nodes, or will if it is asked again.
bool MayBeRepeated(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsDeadlineExceeded(status) ||
         absl::IsAborted(status) || absl::IsResourceExhausted(status);
}

}  // namespace

void NodeReturns::Enqueue(const Job& job, const IdleNodeGroup& idle) {
  {
    absl::MutexLock lock(&mutex_);
    const absl::Time now = parts_.clock->Now();
    std::erase_if(requested_at_, [&](const auto& row) {
      return row.second + kPauseAfterReturn <= now &&
             !waiting_.contains(row.first);
    });
    if (!requested_at_.try_emplace(job.id, now).second) return;
    waiting_.insert_or_assign(
        job.id,
        NodeReturn{
            {job.owner, job.owner_uid}, job.slurm_id, job.spec.name, idle});
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

bool NodeReturns::KeepIdle(const JobId& id, IdleNodeGroup* idle) {
  bool is_running = false;
  parts_.active->Change(id, [&](ActiveJob& active) {
    is_running = active.job.state == v1::JOB_STATE_READY;
    std::erase_if(idle->nodes, [&](const std::string& node) {
      const auto state = active.idle_nodes.find(node);
      return state == active.idle_nodes.end() || !state->second.warned;
    });
  });
  std::erase_if(idle->gpus, [&](const JobGpu& gpu) {
    return std::find(idle->nodes.begin(), idle->nodes.end(), gpu.node) ==
           idle->nodes.end();
  });
  return is_running && !idle->nodes.empty();
}

void NodeReturns::Return(const JobId& id, NodeReturn next) {
  if (!KeepIdle(id, &next.idle)) return;
  const std::string request_id = NewRequestId();
  const absl::Status status = parts_.submitter->ReturnNodesAsUser(
      next.user, next.slurm_job, id, next.idle.nodes, request_id);
  // Not requested by a user: an operation of the backend, as the job's owner.
  parts_.audit->Record(
      {.act = "return_nodes",
       .actor = "carme-backend",
       .subject = id.value(),
       .decision = status.ok() ? AuditDecision::kAllow : AuditDecision::kRefuse,
       .result = absl::StrCat("Slurm job ", next.slurm_job.value(), " of ",
                              next.user.name, ", idle GPUs of ",
                              absl::StrJoin(next.idle.nodes, ", "), ": ",
                              StatusText(status)),
       .request_id = request_id});
  if (status.ok()) {
    Complete(id, next);
    return;
  }
  LogWarning("idle nodes not returned",
             {{"user", next.user.name},
              {"job", id.value()},
              {"nodes", absl::StrJoin(next.idle.nodes, ",")},
              {"error", StatusText(status)}});
  // The next report repeats it.
  if (!MayBeRepeated(status)) Refuse(id, next);
}

void NodeReturns::Complete(const JobId& id, const NodeReturn& done) {
  parts_.active->Change(id, [&](ActiveJob& active) {
    // The states stay until a poll shows that the nodes have left: without them
    // the next report would warn about the nodes again.
    for (const std::string& node : done.idle.nodes) {
      const auto state = active.idle_nodes.find(node);
      if (state != active.idle_nodes.end()) state->second.notice.reset();
    }
    active.job.idle =
        FirstNotice(active.idle, active.gpu_idle, active.idle_nodes);
  });
  parts_.scheduler->RefreshJob(done.slurm_job);
  const absl::Time now = parts_.clock->Now();
  const Event event{.uid = done.user.uid,
                    .kind = v1::NOTIFICATION_KIND_JOB_IDLE,
                    .subject = id.value(),
                    .text = NodesReturnedText(done.job_name, done.idle),
                    .key = absl::StrCat("idle-nodes/", id.value(), "/returned/",
                                        absl::StrJoin(done.idle.nodes, ","))};
  const absl::Status posted = parts_.database->Transact(
      [&](Database& db) { return PostEvent(db, event, now); });
  if (posted.ok()) return;
  LogError("notification of returned nodes not written",
           {{"job", id.value()}, {"error", StatusText(posted)}});
}

void NodeReturns::Refuse(const JobId& id, const NodeReturn& refused) {
  parts_.active->Change(id, [&](ActiveJob& active) {
    for (const std::string& node : refused.idle.nodes) {
      const auto state = active.idle_nodes.find(node);
      if (state != active.idle_nodes.end()) ResetIdleTimer(&state->second);
    }
    active.job.idle =
        FirstNotice(active.idle, active.gpu_idle, active.idle_nodes);
  });
}

}  // namespace carme::backend
