#include "backend/jobs/lifecycle/idle_monitor.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/jobs/lifecycle/idle_texts.h"
#include "backend/jobs/lifecycle/messages.h"
#include "backend/notifications/event.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
absl::StatusOr<std::optional<JobTemplate>> IdleMonitor::FindTemplate(
    const std::string& job_template) const {
  if (parts_.templates == nullptr || job_template.empty()) return std::nullopt;
  ASSIGN_OR_RETURN(JobTemplate found, parts_.templates->Find(job_template));
  return found;
}

std::vector<GpuJudgedJob> IdleMonitor::ListGpuJudgedJobs() const {
  std::map<std::string, std::vector<GpuJudgedJob>> by_template;
  parts_.active->ForEach([&](const Job& job) {
    if (!IsJudgedByGpus(job) || job.spec.job_template.empty()) return;
    by_template[job.spec.job_template].push_back(
        {.id = job.id, .gpus = CountGpus(job)});
  });
  std::vector<GpuJudgedJob> judged;
  for (auto& [job_template, jobs] : by_template) {
    const auto found = FindTemplate(job_template);
    if (!found.ok()) {
      LogError(
          "policy about idle GPUs not known",
          {{"template", job_template}, {"error", StatusText(found.status())}});
      continue;
    }
    if (!*found || !(*found)->gpu_idle) continue;
    for (GpuJudgedJob& job : jobs) {
      job.policy = *(*found)->gpu_idle;
      judged.push_back(std::move(job));
    }
  }
  return judged;
}

void IdleMonitor::OnAgentActivity(const JobId& id, const ObservedUse& use) {
  const std::optional<Job> job = parts_.active->Find(id);
  if (!job || !IsJudgedByUse(*job)) return;
  if (use.input) {
    const absl::Time now = parts_.clock->Now();
    parts_.active->Change(id, [&](ActiveJob& active) {
      ApplyInput(*use.input, now, &active.activity);
      active.job.in_use =
          ShowActivity(active.job.in_use, now, &active.activity);
    });
  }
  const absl::StatusOr<std::optional<JobTemplate>> found =
      FindTemplate(job->spec.job_template);
  if (!found.ok()) {
    // A job must not be stopped by times that are not its own.
    LogError("idle times not known", {{"job", id.value()},
                                      {"template", job->spec.job_template},
                                      {"error", StatusText(found.status())}});
    return;
  }
  Apply(id, {.state = &ActiveJob::idle,
             .is_judged = IsJudgedByUse,
             .times = IdleTimesOf(parts_.site, *found),
             .idle = use.unused});
}

void IdleMonitor::OnGpuUse(const JobId& id, const MeasuredGpus& measured) {
  const std::optional<Job> job = parts_.active->Find(id);
  if (!job || !IsJudgedByGpus(*job)) return;
  const absl::StatusOr<std::optional<JobTemplate>> found =
      FindTemplate(job->spec.job_template);
  if (!found.ok()) {
    LogError("policy about idle GPUs not known",
             {{"job", id.value()},
              {"template", job->spec.job_template},
              {"error", StatusText(found.status())}});
    return;
  }
  if (!*found || !(*found)->gpu_idle) return;
  const GpuIdlePolicy& policy = *(*found)->gpu_idle;
  if (policy.threshold_percent != measured.threshold_percent) return;
  // They would end with this job.
  const std::vector<Job> linked = parts_.active->JobsLinkedTo(id);
  const bool has_linked = std::any_of(linked.begin(), linked.end(), IsRunning);
  std::optional<IdleGpus> idle =
      IdleGpusOf(*job, measured, parts_.clock->Now());
  if (idle) {
    if (has_linked) idle->idle = absl::ZeroDuration();
    Apply(id, {.state = &ActiveJob::gpu_idle,
               .is_judged = IsJudgedByGpus,
               .times = IdleTimesOf(policy),
               .idle = idle->idle,
               .gpus = std::move(idle->gpus)});
  }
  ApplyToNodes(id, policy, measured,
               {.has_linked = has_linked, .are_all_known = idle.has_value()});
}

void IdleMonitor::ApplyToNodes(const JobId& id, const GpuIdlePolicy& policy,
                               const MeasuredGpus& measured,
                               const JobGpuState& job) {
  const absl::Time now = parts_.clock->Now();
  const bool shrinks = policy.action == v1::GpuIdlePolicy::ACTION_SHRINK;
  const IdleTimes times = IdleTimesOf(policy);
  IdleNodeSteps steps;
  const auto changed = parts_.active->Change(id, [&](ActiveJob& active) {
    if (!IsJudgedByGpus(active.job)) return;
    if (!shrinks || job.has_linked || active.job.array) {
      if (active.idle_nodes.empty()) return;
      active.idle_nodes.clear();
    } else {
      steps = ApplyNodeReport(
          active.job, times,
          {.gpus = IdleGpusByNode(active.job, measured, now),
           .returnable = MayReturnNodes(active.job) ? active.returnable_nodes
                                                    : std::set<std::string>(),
           .is_job_warned =
               job.are_all_known && active.gpu_idle.warned.has_value()},
          now, &active.idle_nodes);
    }
    active.job.idle =
        FirstNotice(active.idle, active.gpu_idle, active.idle_nodes);
  });
  if (!changed) return;
  if (!steps.returned.nodes.empty()) TellReturned(changed->job, steps.returned);
  if (!steps.warned.nodes.empty()) {
    WarnAboutNodes(changed->job, times, steps.warned);
  }
  if (steps.due.nodes.empty()) return;
  parts_.node_returns->Enqueue(changed->job, steps.due);
}

absl::Status IdleMonitor::PostAboutNodes(const Job& job, const char* what,
                                         DisplayText text) {
  const absl::Time now = parts_.clock->Now();
  const Event event{.uid = job.owner_uid,
                    .kind = v1::NOTIFICATION_KIND_JOB_IDLE,
                    .subject = job.id.value(),
                    .text = std::move(text),
                    .key = absl::StrCat("idle-nodes/", job.id.value(), "/",
                                        what, "/", absl::ToUnixSeconds(now))};
  return parts_.database->Transact(
      [&](Database& db) { return PostEvent(db, event, now); });
}

void IdleMonitor::WarnAboutNodes(const Job& job, const IdleTimes& times,
                                 const IdleNodeGroup& idle) {
  const absl::Status posted =
      PostAboutNodes(job, "warned", NodesWarningText(job, times, idle));
  if (posted.ok()) return;
  // Nodes without a warning are not returned: the next report warns again.
  LogError("warning of idle nodes not written",
           {{"job", job.id.value()}, {"error", StatusText(posted)}});
  parts_.active->Change(job.id, [&](ActiveJob& active) {
    for (const auto& [node, warned_at] : idle.nodes) {
      active.idle_nodes.erase(node);
    }
    active.job.idle =
        FirstNotice(active.idle, active.gpu_idle, active.idle_nodes);
  });
}

void IdleMonitor::TellReturned(const Job& job, const IdleNodeGroup& idle) {
  const absl::Status posted =
      PostAboutNodes(job, "returned", NodesReturnedText(job, idle));
  if (posted.ok()) return;
  LogError("notification of returned nodes not written",
           {{"job", job.id.value()}, {"error", StatusText(posted)}});
}

void IdleMonitor::Apply(const JobId& id, const IdleReport& report) {
  const absl::Time now = parts_.clock->Now();
  const IdleTimes& times = report.times;
  IdleStep step = IdleStep::kNone;
  IdleTime idle;
  const auto changed = parts_.active->Change(id, [&](ActiveJob& active) {
    if (!report.is_judged(active.job)) return;
    IdleState& state = active.*report.state;
    state.reported_at = now;
    step = report.gpus.empty()
               ? ApplyReport(times, report.idle, &state)
               : ApplyGpuReport(times, report.idle, now, &state);
    idle.counted = CountedIdle(state);
    if (!state.warned) state.notice.reset();
    if (step == IdleStep::kWarn) {
      state.notice = JobIdle{.since = now - idle.counted, .gpus = report.gpus};
      if (times.stop > absl::ZeroDuration()) {
        state.notice->stops_at = now + times.stop;
      }
    }
    idle.since = state.notice ? state.notice->since : now - idle.counted;
    active.job.idle =
        FirstNotice(active.idle, active.gpu_idle, active.idle_nodes);
    if (step != IdleStep::kStop) return;
    active.stopping_since = now;
    active.job.state = v1::JOB_STATE_STOPPING;
    active.job.idle =
        JobIdle{.since = idle.since, .stopped = true, .gpus = report.gpus};
    active.job.reason = StopReason(idle.since, idle.counted, report.gpus);
    active.job.stopped_by = v1::JOB_STOPPED_BY_CARME;
  });
  if (!changed) return;
  if (step == IdleStep::kWarn) Warn(changed->job, report, idle);
  if (step == IdleStep::kStop) Stop(changed->job, report, idle);
}

void IdleMonitor::Stop(const Job& job, const IdleReport& report,
                       const IdleTime& idle) {
  LogInfo("idle job stopped", {{"user", job.owner},
                               {"job", job.id.value()},
                               {"idle_s", absl::ToInt64Seconds(idle.counted)},
                               {"gpus", report.gpus.size()}});
  // If the cancellation fails, the reconciler repeats it.
  parts_.cancel_queue->Enqueue(job, job.slurm_id,
                               report.gpus.empty() ? "idle" : "idle GPUs");
  const absl::Status notified = Post(
      job, report, idle, "stopped",
      MakeText(report.gpus.empty() ? job_lifecycle_messages::kStoppedIdle
                                   : job_lifecycle_messages::kStoppedIdleGpus,
               {{"job", job.spec.name},
                {"idle", DurationText(idle.counted)},
                {"gpus", GpuNames(report.gpus)}}));
  if (!notified.ok()) {
    LogError("notification of a stopped idle job not written",
             {{"job", job.id.value()}, {"error", StatusText(notified)}});
  }
}

void IdleMonitor::OnProxyActivity(const JobId& id, const std::string& instance,
                                  const ProxyActivity& saw) {
  const absl::Time now = parts_.clock->Now();
  parts_.active->Change(id, [&](ActiveJob& active) {
    if (!IsRunning(active.job) || IsLinkedJob(active.job)) return;
    ApplyProxyActivity(instance, saw, now, &active.activity);
    active.job.in_use = ShowActivity(active.job.in_use, now, &active.activity);
  });
}

absl::Status IdleMonitor::Post(const Job& job, const IdleReport& report,
                               const IdleTime& idle, const char* what,
                               DisplayText text) {
  const absl::Time now = parts_.clock->Now();
  // GPUs may be idle since the same time when their source was away meanwhile.
  const absl::Time since = report.gpus.empty() ? idle.since : now;
  const Event event{
      .uid = job.owner_uid,
      .kind = v1::NOTIFICATION_KIND_JOB_IDLE,
      .subject = job.id.value(),
      .text = std::move(text),
      .key = absl::StrCat(report.gpus.empty() ? "idle/" : "idle-gpus/",
                          job.id.value(), "/", what, "/",
                          absl::ToUnixSeconds(since))};
  return parts_.database->Transact(
      [&](Database& db) { return PostEvent(db, event, now); });
}

void IdleMonitor::Warn(const Job& job, const IdleReport& report,
                       const IdleTime& idle) {
  const absl::Status posted =
      Post(job, report, idle, "warned",
           WarningText(job, report.times, idle.counted, report.gpus));
  if (posted.ok()) return;
  // A job without a warning is not stopped: the next report warns again.
  LogError("warning of an idle job not written",
           {{"job", job.id.value()}, {"error", StatusText(posted)}});
  parts_.active->Change(job.id, [&](ActiveJob& active) {
    IdleState& state = active.*report.state;
    state.warned.reset();
    state.notice.reset();
    active.job.idle =
        FirstNotice(active.idle, active.gpu_idle, active.idle_nodes);
  });
}

absl::StatusOr<Job> IdleMonitor::KeepAlive(const JobId& id) {
  bool runs = false;
  const auto changed = parts_.active->Change(id, [&](ActiveJob& active) {
    runs = IsRunning(active.job);
    if (!runs) return;
    ResetIdleTimer(&active.idle);
    ResetIdleTimer(&active.gpu_idle);
    for (auto& [node, idle] : active.idle_nodes) ResetIdleTimer(&idle.state);
    active.job.idle.reset();
  });
  if (changed && runs) return changed->job;
  return MakeError(job_lifecycle_messages::kNotRunning);
}

void DiscardUnseenUse(absl::Time now, ActiveJob* active) {
  if (active->job.in_use) {
    active->job.in_use =
        ShowActivity(active->job.in_use, now, &active->activity);
  }
  const auto discard = [now](absl::Duration unseen, IdleState* state) {
    if (!state->unused || now - state->reported_at <= unseen) return false;
    *state = IdleState();
    return true;
  };
  const bool use = discard(kUseUnseen, &active->idle);
  const bool gpus = discard(kGpuUseUnseen, &active->gpu_idle);
  const auto nodes = std::erase_if(active->idle_nodes, [&](const auto& row) {
    return now - row.second.state.reported_at > kGpuUseUnseen;
  });
  if (!use && !gpus && nodes == 0) return;
  if (active->job.idle && active->job.idle->stopped) return;
  active->job.idle =
      FirstNotice(active->idle, active->gpu_idle, active->idle_nodes);
}

}  // namespace carme::backend
