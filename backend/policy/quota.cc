#include "backend/policy/quota.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "backend/policy/array.h"
#include "backend/policy/saturated.h"

namespace carme::backend {

Window DayOf(absl::Time now) {
  const absl::CivilDay day = absl::ToCivilDay(now, absl::UTCTimeZone());
  return {absl::FromCivil(day, absl::UTCTimeZone()),
          absl::FromCivil(day + 1, absl::UTCTimeZone())};
}

Window MonthOf(absl::Time now) {
  const absl::CivilMonth month = absl::ToCivilMonth(now, absl::UTCTimeZone());
  return {absl::FromCivil(month, absl::UTCTimeZone()),
          absl::FromCivil(month + 1, absl::UTCTimeZone())};
}

JobUse UseOf(const JobSpec& spec) {
  const std::string array = spec.batch ? spec.batch->array : "";
  return {.gpus = Times(std::max(spec.nodes, 1), spec.gpus_per_node),
          .nodes = std::max(spec.nodes, 1),
          .tasks = TaskCount(array),
          .at_once = MostAtOnce(array),
          .walltime = spec.walltime};
}

const char* LimitName(QuotaMetric metric) {
  switch (metric) {
    case QuotaMetric::kGpusPerJob:
      return "max_gpus_per_job";
    case QuotaMetric::kGpus:
      return "max_gpus";
    case QuotaMetric::kNodesPerJob:
      return "max_nodes_per_job";
    case QuotaMetric::kNodes:
      return "max_nodes";
    case QuotaMetric::kJobs:
      return "max_running_jobs";
    case QuotaMetric::kQueuedJobs:
      return "max_queued_jobs";
    case QuotaMetric::kJobsPerDay:
      return "max_jobs_per_day";
    case QuotaMetric::kWalltime:
      return "max_walltime_min";
    case QuotaMetric::kGpuHoursPerDay:
      return "max_gpu_hours_per_day";
    case QuotaMetric::kGpuHoursPerMonth:
      return "max_gpu_hours_per_month";
    case QuotaMetric::kGpuHours:
      return "max_gpu_hours";
  }
  return "limit";
}

std::string QuotaSource(const QuotaRule& rule) {
  const std::string& project =
      rule.project_name.empty() ? rule.project : rule.project_name;
  switch (rule.scope) {
    case QuotaScope::kRole:
      return absl::StrCat("role ", rule.name);
    case QuotaScope::kGroup:
      return absl::StrCat("group ", rule.name);
    case QuotaScope::kProject:
      return absl::StrCat("project ", project);
    case QuotaScope::kUser:
      return absl::StrCat("user ", rule.username);
    case QuotaScope::kMember:
      return rule.uid == kNoUid
                 ? absl::StrCat("each member of project ", project)
                 : absl::StrCat("user ", rule.username, " in project ",
                                project);
  }
  return "carme";
}

const QuotaUsage& UsageFor(const QuotaTerms& terms, const QuotaRule& rule) {
  if (rule.scope == QuotaScope::kProject) return terms.project;
  if (rule.scope == QuotaScope::kMember) return terms.member;
  return terms.person;
}

Used UsedOf(const QuotaUsage& usage, QuotaMetric metric) {
  const auto count = [](int64_t number) {
    return Used{static_cast<double>(number), static_cast<double>(number)};
  };
  const auto hours = [](absl::Duration all, absl::Duration spent) {
    return Used{absl::ToDoubleHours(all), absl::ToDoubleHours(spent)};
  };
  switch (metric) {
    case QuotaMetric::kGpus:
      return count(usage.gpus);
    case QuotaMetric::kNodes:
      return count(usage.nodes);
    case QuotaMetric::kJobs:
      return count(usage.jobs);
    case QuotaMetric::kQueuedJobs:
      return count(usage.queued);
    case QuotaMetric::kJobsPerDay:
      return count(usage.jobs_today);
    case QuotaMetric::kGpuHoursPerDay:
      return hours(std::max(usage.day.now, usage.day.ahead), usage.day.spent);
    case QuotaMetric::kGpuHoursPerMonth:
      return hours(std::max(usage.month.now, usage.month.ahead),
                   usage.month.spent);
    case QuotaMetric::kGpuHours:
      return hours(usage.ever, usage.ever_spent);
    default:
      return {};
  }
}

}  // namespace carme::backend
