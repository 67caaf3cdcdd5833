#include "backend/dry_run/usage_replay.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

namespace carme::backend {
namespace {

// Calls `add` with each day and the GPU time of the ended job in it: as the
// table of the usage counts it.
void ForEachDay(const PastJob& job,
                const std::function<void(int64_t, absl::Duration)>& add) {
  const JobUse use = UseOf(job.spec);
  const absl::Time end = std::max(job.created_at, *job.ended_at);
  if (job.array_gpu_time > absl::ZeroDuration()) {
    add(DayNumber(end), job.array_gpu_time);
  }
  if (!job.started_at || use.gpus == 0 || use.tasks > 1) return;
  for (absl::Time at = std::max(*job.started_at, job.created_at); at < end;) {
    const Window day = DayOf(at);
    add(DayNumber(at), (std::min(day.end, end) - at) * use.gpus);
    at = day.end;
  }
}

// The job as it was at a time.
JobUsage UsageAt(const PastJob& job, absl::Time at) {
  JobUsage usage{.job = job.id,
                 .uid = job.owner_uid,
                 .project = job.spec.project,
                 .use = UseOf(job.spec),
                 .created_at = job.created_at};
  if (job.started_at && *job.started_at <= at) {
    usage.started_at = job.started_at;
    if (usage.use.tasks == 1) {
      usage.ends_at = *job.started_at + usage.use.walltime;
    }
  }
  return usage;
}

}  // namespace

UsageReplay::UsageReplay(std::map<int64_t, UsageDay> days,
                         const std::vector<const PastJob*>& jobs)
    : days_(std::move(days)) {
  for (const PastJob* job : jobs) {
    days_[DayNumber(job->created_at)].jobs -= UseOf(job->spec).tasks;
    if (!job->ended_at) continue;
    ForEachDay(*job, [this](int64_t day, absl::Duration gpu_time) {
      days_[day].gpu_time -= gpu_time;
    });
  }
  // The records of jobs may have been corrected since their usage was counted.
  for (auto& [day, usage] : days_) {
    usage.jobs = std::max<int64_t>(0, usage.jobs);
    usage.gpu_time = std::max(absl::ZeroDuration(), usage.gpu_time);
  }
}

void UsageReplay::End(const PastJob& job) {
  ForEachDay(job, [this](int64_t day, absl::Duration gpu_time) {
    days_[day].gpu_time += gpu_time;
  });
}

QuotaUsage UsageReplay::Before(const PastJob& job) {
  const absl::Time now = job.created_at;
  QuotaUsage sum;
  std::erase_if(active_, [&](const PastJob* other) {
    if (!other->ended_at || *other->ended_at > now) return false;
    End(*other);
    return true;
  });
  for (const PastJob* other : active_) {
    AddLiveUsage(UsageAt(*other, now), std::nullopt, now, &sum);
  }
  const int64_t today = DayNumber(now);
  const int64_t month = DayNumber(MonthOf(now).begin);
  for (const auto& [day, usage] : days_) {
    if (day > today) break;
    sum.ever += usage.gpu_time;
    sum.ever_spent += usage.gpu_time;
    if (day >= month) {
      sum.month.now += usage.gpu_time;
      sum.month.spent += usage.gpu_time;
    }
    if (day < today) continue;
    sum.day.now += usage.gpu_time;
    sum.day.spent += usage.gpu_time;
    sum.jobs_today += usage.jobs;
  }
  days_[today].jobs += UseOf(job.spec).tasks;
  active_.push_back(&job);
  return sum;
}

}  // namespace carme::backend
