#include "backend/jobs/agents/agent_admission.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "backend/jobs/agents/messages.h"
#include "backend/jobs/agents/reported_detail.h"
#include "backend/jobs/model/messages.h"
#include "backend/jobs/model/node_address.h"
#include "backend/jobs/model/slurm_identity.h"
#include "backend/jobs/state/array_state_machine.h"
#include "backend/jobs/state/job_state_machine.h"
#include "carme/v1/agent.pb.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxTaskDetails = 1000;
// Every user with an account on a node can create credentials and claim any
// job: such calls must not occupy all threads.
constexpr int kMaxWaitingOfUid = 4;
constexpr size_t kMaxWaitingUids = 32;

absl::Status CheckNode(const SlurmJob& slurm, const SlurmSnapshot& seen,
                       const std::string& peer) {
  const auto node = std::find_if(
      seen.nodes.begin(), seen.nodes.end(), [&](const SlurmNode& candidate) {
        return !slurm.nodes.empty() && candidate.name == slurm.nodes[0];
      });
  if (node == seen.nodes.end()) {
    return MakeError(job_agent_messages::kFirstNodeUnknown);
  }
  ASSIGN_OR_RETURN(const bool same, IsAddressOf(peer, node->address));
  if (same) return absl::OkStatus();
  return MakeError(
      job_agent_messages::kWrongNode,
      {{"peer", peer}, {"node", node->name}, {"address", node->address}});
}

void SetApp(JobApp app, Job* job) {
  for (JobApp& known : job->apps) {
    if (known.id == app.id) {
      known = std::move(app);
      return;
    }
  }
  job->apps.push_back(std::move(app));
}

}  // namespace

absl::StatusOr<Job> AgentAdmission::Admit(const AgentClaim& claim) {
  SlurmSnapshotPtr seen;
  ASSIGN_OR_RETURN(const SlurmJob slurm, AwaitRunning(claim, &seen));
  if (slurm.uid != claim.uid) {
    return MakeError(
        job_agent_messages::kWrongUid,
        {{"uid", claim.uid.value()}, {"expected", slurm.uid.value()}});
  }
  RETURN_IF_ERROR(CheckNode(slurm, *seen, claim.peer_address));
  return Adopt(slurm, AskedAt(*seen, slurm.id));
}

bool AgentAdmission::BeginWait(Uid uid) {
  absl::MutexLock lock(&mutex_);
  const auto place = waiting_.find(uid);
  if (place == waiting_.end()) {
    if (waiting_.size() >= kMaxWaitingUids) return false;
    return waiting_.emplace(uid, 1).second;
  }
  if (place->second >= kMaxWaitingOfUid) return false;
  ++place->second;
  return true;
}

void AgentAdmission::EndWait(Uid uid) {
  absl::MutexLock lock(&mutex_);
  const auto place = waiting_.find(uid);
  if (--place->second == 0) waiting_.erase(place);
}

absl::StatusOr<SlurmJob> AgentAdmission::AwaitRunning(const AgentClaim& claim,
                                                      SlurmSnapshotPtr* seen) {
  const absl::Time start = parts_.clock->Now();
  std::optional<SlurmJob> running;
  bool asked_since = false;
  SlurmJobId ending;
  const auto look = [&] {
    *seen = parts_.scheduler->Snapshot();
    const auto found = (*seen)->jobs.find(claim.slurm_job);
    if (found != (*seen)->jobs.end()) {
      const SlurmJob& slurm = found->second;
      if (slurm.state == SlurmState::kRunning) running = slurm;
      if (slurm.state == SlurmState::kCompleting)
        ending = SubmittedJobId(slurm);
    }
    asked_since =
        (*seen)->reachable && AskedAt(**seen, claim.slurm_job) > start;
    return running.has_value() || asked_since;
  };
  if (!look()) {
    if (!BeginWait(claim.uid)) {
      return MakeError(job_agent_messages::kTooManyWaiting);
    }
    parts_.scheduler->RefreshJob(claim.slurm_job);
    parts_.polls->Await(look, parts_.poll_timeout);
    EndWait(claim.uid);
  }
  // The agent's last report arrived: Slurm will end the job soon.
  if (ending != SlurmJobId()) parts_.scheduler->TrackUntilEnd(ending);
  if (running && (*seen)->reachable) return *running;
  if (asked_since) {
    return MakeError(job_agent_messages::kNotCarmes,
                     {{"slurm_job", claim.slurm_job.value()}});
  }
  return MakeError(job_agent_messages::kSlurmSilent,
                   {{"time", absl::FormatDuration(parts_.poll_timeout)}});
}

std::optional<Job> AgentAdmission::JobOnNode(SlurmJobId slurm_job,
                                             const std::string& node,
                                             bool wait) {
  const absl::Time start = parts_.clock->Now();
  std::optional<SlurmJob> slurm;
  const auto look = [&] {
    const SlurmSnapshotPtr seen = parts_.scheduler->Snapshot();
    const auto found = seen->jobs.find(slurm_job);
    if (found != seen->jobs.end() &&
        absl::c_linear_search(found->second.nodes, node)) {
      slurm = found->second;
    }
    return slurm || (seen->reachable && AskedAt(*seen, slurm_job) > start);
  };
  // Only root's reports come here.
  if (!look() && wait && BeginWait(Uid(0))) {
    parts_.scheduler->RefreshJob(slurm_job);
    parts_.polls->Await(look, parts_.poll_timeout);
    EndWait(Uid(0));
  }
  if (!slurm) return std::nullopt;
  const std::optional<JobId> id = parts_.active->RecordOf(*slurm);
  return id ? parts_.active->Find(*id) : std::nullopt;
}

absl::StatusOr<Job> AgentAdmission::Adopt(const SlurmJob& slurm,
                                          absl::Time asked_at) {
  bool mine = false;
  const absl::Time now = parts_.clock->Now();
  const JobId id = parts_.active->RecordOf(slurm).value_or(slurm.carme_id);
  const auto changed = parts_.active->Change(id, [&](ActiveJob& active) {
    const Job& job = active.job;
    mine = job.state != v1::JOB_STATE_STOPPING &&
           (IsRecordsJob(job, slurm) || MayAdopt(job, slurm));
    if (!mine) return;
    if (!InSlurm(job)) active.known_since = now;
    // The state of its tasks is derived at the next poll.
    if (IsArray(job)) {
      active.job.slurm_id = SubmittedJobId(slurm);
      return;
    }
    active.job = Next(job, {.slurm = &slurm,
                            .asked_at = asked_at,
                            .known_since = active.known_since,
                            .submitting = active.submitting,
                            .now = now});
  });
  if (changed && mine) return changed->job;
  return MakeError(
      job_agent_messages::kNotActive,
      {{"slurm_job", slurm.id.value()}, {"uid", slurm.uid.value()}});
}

absl::StatusOr<Job> AgentAdmission::ChangeDurably(
    const JobId& id, const ActiveJobs::Edit& edit) {
  const auto changed = parts_.active->Change(id, edit);
  if (!changed) return MakeError(job_agent_messages::kHasEnded);
  const absl::Status written = parts_.active->Wait(changed->ticket);
  if (!written.ok()) return absl::UnavailableError(written.message());
  return changed->job;
}

absl::StatusOr<Job> AgentAdmission::Register(const JobId& id,
                                             const AgentEndpoint& endpoint) {
  return ChangeDurably(id, [&](ActiveJob& active) {
    if (active.job.state == v1::JOB_STATE_STOPPING) return;
    if (IsArray(active.job)) {
      active.job.agent = endpoint;
      if (!IsRunning(active.job)) active.job.state = v1::JOB_STATE_STARTING;
      return;
    }
    active.node_report = nullptr;
    active.job.agent = endpoint;
    active.job.apps.clear();
    active.job.ready_at.reset();
    active.job.state = v1::JOB_STATE_STARTING;
  });
}

absl::Status AgentAdmission::ReportApp(const JobId& id, const JobApp& app,
                                       std::optional<uint32_t> task) {
  const DisplayText detail = CheckReportedDetail(app.detail);
  const absl::Time now =
      absl::FromUnixMicros(absl::ToUnixMicros(parts_.clock->Now()));
  ASSIGN_OR_RETURN(const Job job, ChangeDurably(id, [&](ActiveJob& active) {
                     if (active.job.agent.port == 0) return;
                     if (IsArray(active.job)) {
                       if (!task || app.state != v1::JOB_APP_STATE_FAILED)
                         return;
                       SetApp({app.id, app.state,
                               MakeText(job_model_messages::kTaskDetail,
                                        {{"task", *task}, {"detail", detail}})},
                              &active.job);
                       return;
                     }
                     SetApp({app.id, app.state, detail}, &active.job);
                     if (app.id != active.job.spec.app ||
                         app.state != v1::JOB_APP_STATE_READY) {
                       return;
                     }
                     if (!active.job.ready_at) active.job.ready_at = now;
                     if (active.job.state == v1::JOB_STATE_STARTING) {
                       active.job.state = v1::JOB_STATE_READY;
                     }
                   }));
  if (job.agent.port == 0) {
    return MakeError(job_agent_messages::kNotRegistered);
  }
  return absl::OkStatus();
}

bool AgentAdmission::LacksAgent(const JobId& id) const {
  const std::optional<Job> job = parts_.active->Find(id);
  return job && !IsArray(*job) && !IsBatch(*job) && IsRunning(*job) &&
         job->agent.port == 0;
}

absl::Status AgentAdmission::CheckJoins(const Job& job) const {
  const JobId id(job.spec.linked_to);
  const std::optional<Job> first = parts_.active->Find(id);
  if (!first || !IsRunning(*first) || first->owner_uid != job.owner_uid) {
    return MakeError(job_agent_messages::kJoinedJobEnded);
  }
  std::vector<Job> linked = parts_.active->JobsLinkedTo(id);
  linked.push_back(*first);
  for (const Job& other : linked) {
    if (other.id == job.id || !IsRunning(other)) continue;
    for (const std::string& node : job.nodes) {
      if (std::find(other.nodes.begin(), other.nodes.end(), node) ==
          other.nodes.end()) {
        continue;
      }
      return MakeError(job_agent_messages::kSharesNode, {{"node", node}});
    }
  }
  return absl::OkStatus();
}

absl::Status AgentAdmission::BecomeReady(const JobId& id,
                                         bool (*may)(const Job&),
                                         const ErrorTemplate& otherwise) {
  const absl::Time now =
      absl::FromUnixMicros(absl::ToUnixMicros(parts_.clock->Now()));
  ASSIGN_OR_RETURN(const Job job, ChangeDurably(id, [&](ActiveJob& active) {
                     if (active.job.agent.port == 0 || !may(active.job)) return;
                     if (!active.job.ready_at) active.job.ready_at = now;
                     if (active.job.state == v1::JOB_STATE_STARTING) {
                       active.job.state = v1::JOB_STATE_READY;
                     }
                   }));
  if (job.ready_at && may(job)) return absl::OkStatus();
  return MakeError(otherwise);
}

absl::Status AgentAdmission::ReportJoined(const JobId& id) {
  return BecomeReady(id, IsLinkedJob, job_agent_messages::kJoinsNoJob);
}

absl::Status AgentAdmission::ReportRunning(const JobId& id) {
  return BecomeReady(id, IsBatch, job_agent_messages::kNotBatch);
}

Job AgentAdmission::AwaitNodes(const Job& job, const v1::LinkedJob& reported) {
  std::set<std::string> names;
  for (const v1::LinkedNode& node : reported.nodes()) names.insert(node.name());
  const auto has_names = [&](const Job& one) {
    return std::set<std::string>(one.nodes.begin(), one.nodes.end()) == names;
  };
  // Only nodes that Slurm says are the job's can be missing in the report.
  const std::set<std::string> before(job.nodes.begin(), job.nodes.end());
  if (has_names(job) || names.empty() ||
      !std::includes(before.begin(), before.end(), names.begin(),
                     names.end()) ||
      !BeginWait(job.owner_uid)) {
    return job;
  }
  Job newest = job;
  const absl::Time start = parts_.clock->Now();
  parts_.scheduler->RefreshJob(job.slurm_id);
  parts_.polls->Await(
      [&] {
        newest = parts_.active->Find(job.id).value_or(job);
        const SlurmSnapshotPtr seen = parts_.scheduler->Snapshot();
        return has_names(newest) ||
               (seen->reachable && AskedAt(*seen, job.slurm_id) > start);
      },
      parts_.poll_timeout);
  EndWait(job.owner_uid);
  return newest;
}

absl::Status AgentAdmission::SetLinkedJob(const Job& job,
                                          const v1::LinkedJob& reported) {
  ASSIGN_OR_RETURN(const LinkedJob checked,
                   CheckLinkedJob(reported, AwaitNodes(job, reported),
                                  *parts_.scheduler->Snapshot()));
  parts_.active->SetLinkedJob(job.id, checked);
  return absl::OkStatus();
}

void AgentAdmission::SetReturnableNodes(const Job& job,
                                        std::set<std::string> nodes) {
  parts_.active->SetReturnableNodes(job.id, std::move(nodes));
}

void AgentAdmission::Left(const JobId& id) const {
  const std::optional<Job> job = parts_.active->Find(id);
  if (!job || HasEnded(*job) || !InSlurm(*job)) return;
  parts_.scheduler->TrackUntilEnd(job->slurm_id);
}

bool AgentAdmission::IsOwnersJob(const AgentClaim& claim) const {
  return OwnersJob(claim).ok();
}

absl::StatusOr<Job> AgentAdmission::OwnersJob(const AgentClaim& claim) const {
  // For a task, the id of its array.
  SlurmJobId whole = claim.slurm_job;
  const SlurmSnapshotPtr seen = parts_.scheduler->Snapshot();
  const auto task = seen->jobs.find(whole);
  if (task != seen->jobs.end()) whole = SubmittedJobId(task->second);
  for (const Job& job : parts_.active->All()) {
    if (job.slurm_id == whole && job.owner_uid == claim.uid) {
      return job;
    }
  }
  return MakeError(
      job_agent_messages::kNotOwnersJob,
      {{"uid", claim.uid.value()}, {"slurm_job", claim.slurm_job.value()}});
}

std::optional<uint32_t> AgentAdmission::TaskOf(SlurmJobId slurm_job) const {
  const SlurmSnapshotPtr seen = parts_.scheduler->Snapshot();
  const auto found = seen->jobs.find(slurm_job);
  if (found == seen->jobs.end()) return std::nullopt;
  return found->second.task;
}

absl::Status AgentAdmission::ReportEnded(const JobId& id,
                                         const DisplayText& detail,
                                         std::optional<uint32_t> task) {
  const auto change = [&](ActiveJob& active) {
    DisplayText shown = CheckReportedDetail(detail);
    if (IsArray(active.job)) {
      // Part of the first failure; how a task ended is reported by Slurm.
      if (task && active.job.array->first_failure.empty() &&
          active.task_end_details.size() < kMaxTaskDetails) {
        active.task_end_details[*task] = std::move(shown);
      }
      return;
    }
    if (active.job.state != v1::JOB_STATE_STOPPING) {
      active.stopping_since = parts_.clock->Now();
    }
    active.job.state = v1::JOB_STATE_STOPPING;
    active.job.reason = std::move(shown);
  };
  ASSIGN_OR_RETURN(const Job job, ChangeDurably(id, change));
  if (InSlurm(job)) parts_.scheduler->TrackUntilEnd(job.slurm_id);
  return absl::OkStatus();
}

}  // namespace carme::backend
