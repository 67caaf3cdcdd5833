#include "backend/jobs/lifecycle/idle_monitor.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/jobs/lifecycle/messages.h"
#include "backend/jobs/model/job_time.h"
#include "backend/notifications/event.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

std::string WarningText(const Job& job, const IdleTimes& times,
                        absl::Duration idle) {
  if (times.stop > absl::ZeroDuration()) {
    return FormatMessage(job_lifecycle_messages::kIdleAndStopped,
                         {{"job", job.spec.name},
                          {"idle", DurationText(idle)},
                          {"time", DurationText(times.stop)}});
  }
  return FormatMessage(job_lifecycle_messages::kIdle,
                       {{"job", job.spec.name}, {"idle", DurationText(idle)}});
}

}  // namespace

absl::StatusOr<IdleTimes> IdleMonitor::TimesOf(const Job& job) const {
  if (parts_.templates == nullptr || job.spec.job_template.empty()) {
    return IdleTimesOf(parts_.site, std::nullopt);
  }
  ASSIGN_OR_RETURN(const JobTemplate found,
                   parts_.templates->Find(job.spec.job_template));
  return IdleTimesOf(parts_.site, found);
}

void IdleMonitor::OnAgentActivity(const JobId& id, const ObservedUse& use) {
  const std::optional<Job> job = parts_.active->Find(id);
  if (!job || !IsJudgedByUse(*job)) return;
  const absl::Time now = parts_.clock->Now();
  if (use.input) {
    parts_.active->Change(id, [&](ActiveJob& active) {
      ApplyInput(*use.input, now, &active.activity);
      active.job.in_use =
          ShowActivity(active.job.in_use, now, &active.activity);
    });
  }
  const absl::StatusOr<IdleTimes> found = TimesOf(*job);
  if (!found.ok()) {
    // A job must not be stopped by times that are not its own.
    LogError("idle times not known", {{"job", id.value()},
                                      {"template", job->spec.job_template},
                                      {"error", StatusText(found.status())}});
    return;
  }
  const IdleTimes& times = *found;
  IdleStep step = IdleStep::kNone;
  absl::Duration idle;
  const auto changed = parts_.active->Change(id, [&](ActiveJob& active) {
    if (!IsJudgedByUse(active.job)) return;
    active.idle.reported_at = now;
    step = ApplyReport(times, use.unused, &active.idle);
    idle = CountedIdle(active.idle);
    if (!active.idle.warned) active.job.idle.reset();
    if (step == IdleStep::kWarn) {
      active.job.idle = JobIdle{.since = now - idle};
      if (times.stop > absl::ZeroDuration()) {
        active.job.idle->stops_at = now + times.stop;
      }
    }
    if (step != IdleStep::kStop) return;
    active.stopping_since = now;
    active.job.state = v1::JOB_STATE_STOPPING;
    active.job.reason = FormatMessage(job_lifecycle_messages::kIdleReason,
                                      {{"idle", DurationText(idle)}});
    if (!active.job.idle) active.job.idle = JobIdle{.since = now - idle};
    active.job.idle->stopped = true;
    active.job.stopped_by = v1::JOB_STOPPED_BY_CARME;
  });
  if (!changed) return;
  if (step == IdleStep::kWarn) Warn(changed->job, times, idle);
  if (step != IdleStep::kStop) return;
  LogInfo("idle job stopped", {{"user", changed->job.owner},
                               {"job", id.value()},
                               {"idle_s", absl::ToInt64Seconds(idle)}});
  // If the cancellation fails, the reconciler repeats it.
  parts_.cancel_queue->Enqueue(changed->job, changed->job.slurm_id, "idle");
  const absl::Status notified = Post(
      changed->job, "stopped",
      FormatMessage(
          job_lifecycle_messages::kStoppedIdle,
          {{"job", changed->job.spec.name}, {"idle", DurationText(idle)}}));
  if (!notified.ok()) {
    LogError("notification of a stopped idle job not written",
             {{"job", id.value()}, {"error", StatusText(notified)}});
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

absl::Status IdleMonitor::Post(const Job& job, const std::string& what,
                               std::string text) {
  const Event event{.uid = job.owner_uid,
                    .kind = v1::NOTIFICATION_KIND_JOB_IDLE,
                    .subject = job.id.value(),
                    .text = std::move(text),
                    .key = absl::StrCat("idle/", job.id.value(), "/", what, "/",
                                        absl::ToUnixSeconds(job.idle->since))};
  const absl::Time now = parts_.clock->Now();
  return parts_.database->Transact(
      [&](Database& db) { return PostEvent(db, event, now); });
}

void IdleMonitor::Warn(const Job& job, const IdleTimes& times,
                       absl::Duration idle) {
  const absl::Status posted =
      Post(job, "warned", WarningText(job, times, idle));
  if (posted.ok()) return;
  // A job without a warning is not stopped: the next report warns again.
  LogError("warning of an idle job not written",
           {{"job", job.id.value()}, {"error", StatusText(posted)}});
  parts_.active->Change(job.id, [](ActiveJob& active) {
    active.idle.warned.reset();
    active.job.idle.reset();
  });
}

absl::StatusOr<Job> IdleMonitor::KeepAlive(const JobId& id) {
  bool runs = false;
  const auto changed = parts_.active->Change(id, [&](ActiveJob& active) {
    runs = IsRunning(active.job);
    if (!runs) return;
    ResetIdleTimer(&active.idle);
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
  if (!active->idle.unused || now - active->idle.reported_at <= kUseUnseen)
    return;
  active->idle = IdleState();
  if (active->job.idle && !active->job.idle->stopped) active->job.idle.reset();
}

}  // namespace carme::backend
