#include "backend/jobs/lifecycle/idle_monitor.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/jobs/model/job_time.h"
#include "backend/notifications/event.h"
#include "common/log.h"
#include "common/status.h"

namespace carme::backend {
namespace {

std::string WarningText(const Job& job, const IdleTimes& times,
                        absl::Duration idle) {
  std::string text = absl::StrCat("Job \"", job.spec.name,
                                  "\": nobody has used it for ", InWords(idle));
  if (times.stop > absl::ZeroDuration()) {
    absl::StrAppend(&text, ". It is stopped in ", InWords(times.stop),
                    " unless you use it, or say that you keep it.");
  } else {
    absl::StrAppend(&text,
                    ". Others wait for what it holds: stop it when it "
                    "is not needed.");
  }
  return text;
}

// By its agent's word, or a proxy's, whichever is less: a clock of ours that
// jumps makes no job idle.
absl::Duration UnusedFor(const LiveJob& live, absl::Duration unused,
                         absl::Time now) {
  if (!live.activity.last_input) return unused;
  return std::clamp(now - *live.activity.last_input, absl::ZeroDuration(),
                    unused);
}

}  // namespace

absl::StatusOr<IdleTimes> IdleWatch::TimesOf(const Job& job) const {
  if (!parts_.find_template || job.spec.job_template.empty()) {
    return IdleTimesOf(parts_.site, std::nullopt);
  }
  ASSIGN_OR_RETURN(const JobTemplate found,
                   parts_.find_template(job.spec.job_template));
  return IdleTimesOf(parts_.site, found);
}

void IdleWatch::Take(const JobId& id, absl::Duration unused) {
  const std::optional<Job> job = parts_.live->Find(id);
  if (!job || !IsJudgedByUse(*job)) return;
  const absl::StatusOr<IdleTimes> found = TimesOf(*job);
  if (!found.ok()) {
    // Nobody's job is stopped by times that are not its own.
    LogError("idle times not known", {{"job", id.value()},
                                      {"template", job->spec.job_template},
                                      {"error", found.status().ToString()}});
    return;
  }
  const IdleTimes& times = *found;
  const absl::Time now = parts_.clock->Now();
  IdleStep step = IdleStep::kNone;
  absl::Duration idle;
  const auto changed = parts_.live->Change(id, [&](LiveJob& live) {
    if (!IsJudgedByUse(live.job)) return;
    live.idle.said_at = now;
    step = TakeReport(times, UnusedFor(live, unused, now), &live.idle);
    idle = CountedIdle(live.idle);
    if (!live.idle.warned) live.job.idle.reset();
    if (step == IdleStep::kWarn) {
      live.job.idle = JobIdle{.since = now - idle};
      if (times.stop > absl::ZeroDuration()) {
        live.job.idle->stops_at = now + times.stop;
      }
    }
    if (step != IdleStep::kStop) return;
    live.stopping_since = now;
    live.job.state = JobState::kStopping;
    live.job.reason =
        absl::StrCat("stopped: nobody had used it for ", InWords(idle));
    if (!live.job.idle) live.job.idle = JobIdle{.since = now - idle};
    live.job.idle->stopped = true;
    live.job.stopped_by = JobStoppedBy::kCarme;
  });
  if (!changed) return;
  if (step == IdleStep::kWarn) Warn(changed->job, times, idle);
  if (step != IdleStep::kStop) return;
  LogInfo("job stopped that nobody used",
          {{"user", changed->job.owner},
           {"job", id.value()},
           {"idle_s", absl::ToInt64Seconds(idle)}});
  // Where that fails the reconciler asks again.
  parts_.canceller->Ask(changed->job, changed->job.slurm_id, "nobody used it");
  const absl::Status told =
      Post(changed->job, "stopped",
           absl::StrCat("Job \"", changed->job.spec.name,
                        "\" was stopped: nobody had used it for ",
                        InWords(idle), "."));
  if (!told.ok()) {
    LogError("end of an idle job not told",
             {{"job", id.value()}, {"error", told.ToString()}});
  }
}

void IdleWatch::TakeSeen(const JobId& id, const std::string& instance,
                         const ProxySaw& saw) {
  const absl::Time now = parts_.clock->Now();
  parts_.live->Change(id, [&](LiveJob& live) {
    if (!IsRunning(live.job) || IsCompanion(live.job)) return;
    const bool used = TakeActivity(instance, saw, now, &live.activity);
    live.job.in_use = ShowActivity(live.job.in_use, now, &live.activity);
    if (!used || !live.idle.unused || !saw.input) return;
    TakeUse(*saw.input, &live.idle);
    live.job.idle.reset();
  });
}

absl::Status IdleWatch::Post(const Job& job, const std::string& what,
                             std::string text) {
  const Event event{.uid = job.owner_uid,
                    .kind = EventKind::kJobIdle,
                    .subject = job.id.value(),
                    .text = std::move(text),
                    .key = absl::StrCat("idle/", job.id.value(), "/", what, "/",
                                        absl::ToUnixSeconds(job.idle->since))};
  const absl::Time now = parts_.clock->Now();
  return parts_.database->Transact(
      [&](Database& db) { return PostEvent(db, event, now); });
}

void IdleWatch::Warn(const Job& job, const IdleTimes& times,
                     absl::Duration idle) {
  const absl::Status posted =
      Post(job, "warned", WarningText(job, times, idle));
  if (posted.ok()) return;
  // Who was not warned is not stopped: the next report warns again.
  LogError("warning of an idle job not written",
           {{"job", job.id.value()}, {"error", posted.ToString()}});
  parts_.live->Change(job.id, [](LiveJob& live) {
    live.idle.warned.reset();
    live.job.idle.reset();
  });
}

absl::StatusOr<Job> IdleWatch::Keep(const JobId& id) {
  bool runs = false;
  const auto changed = parts_.live->Change(id, [&](LiveJob& live) {
    runs = IsRunning(live.job);
    if (!runs) return;
    KeepUnused(&live.idle);
    live.job.idle.reset();
  });
  if (changed && runs) return changed->job;
  return absl::FailedPreconditionError(
      "the job does not run: expected one that does");
}

void ForgetUnseenUse(absl::Time now, LiveJob* live) {
  if (live->job.in_use) {
    live->job.in_use =
        ShowActivity(live->job.in_use, now, &live->activity);
  }
  if (!live->idle.unused || now - live->idle.said_at <= kUseUnseen) return;
  live->idle = IdleState();
  if (live->job.idle && !live->job.idle->stopped) live->job.idle.reset();
}

}  // namespace carme::backend
