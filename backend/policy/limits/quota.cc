#include "backend/policy/limits/quota.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/policy/limits/messages.h"
#include "backend/policy/spec/array.h"
#include "backend/policy/spec/messages.h"
#include "backend/policy/spec/saturated.h"
#include "common/message.h"

namespace carme::backend {
namespace {

// The rules for a user, most specific first.
enum Rank { kOwn, kGroups, kRoles, kUsers, kConfigured, kNone };

Rank RankOf(const QuotaRule& rule, const QuotaPerson& person) {
  const auto& groups = person.groups;
  switch (rule.scope) {
    case v1::LIMIT_SCOPE_USER:
      return rule.uid == person.uid && person.uid != kNoUid ? kOwn : kNone;
    case v1::LIMIT_SCOPE_GROUP:
      return std::find(groups.begin(), groups.end(), rule.name) != groups.end()
                 ? kGroups
                 : kNone;
    case v1::LIMIT_SCOPE_ROLE: {
      const bool is_own = rule.name == RoleName(person.role);
      // All roles but administrators also have the limits of users.
      const bool is_users =
          person.role != Role::kAdmin && rule.name == RoleName(Role::kUser);
      if (!is_own && !is_users) return kNone;
      if (rule.set_by.empty()) return kConfigured;
      return is_own ? kRoles : kUsers;
    }
    default:
      return kNone;
  }
}

bool IsNarrower(const QuotaRule& a, const QuotaRule& b) {
  if (!a.max) return false;
  return !b.max || *a.max < *b.max;
}

// "2", "2.5": rounded up, because the remaining hours are rounded down. Less
// than 0.1 is not rounded up.
std::string Hours(absl::Duration time) {
  if (time > absl::ZeroDuration() && time < absl::Minutes(6)) {
    return "less than 0.1";
  }
  const int64_t tenths =
      absl::ToInt64Minutes(absl::Ceil(time, absl::Minutes(6))) / 6;
  return tenths % 10 == 0 ? absl::StrCat(tenths / 10)
                          : absl::StrCat(tenths / 10, ".", tenths % 10);
}

// The messages about a scope: of a user, a project's member, and a project.
struct ScopeMessages {
  const TextTemplate& user;
  const TextTemplate& member;
  const TextTemplate& project;
};

constexpr ScopeMessages kGpusTaken{policy_limit_messages::kQuotaGpusOfUser,
                                   policy_limit_messages::kQuotaGpusOfMember,
                                   policy_limit_messages::kQuotaGpusOfProject};
constexpr ScopeMessages kNodesTaken{
    policy_limit_messages::kQuotaNodesOfUser,
    policy_limit_messages::kQuotaNodesOfMember,
    policy_limit_messages::kQuotaNodesOfProject};
constexpr ScopeMessages kJobsLive{policy_limit_messages::kQuotaJobsOfUser,
                                  policy_limit_messages::kQuotaJobsOfMember,
                                  policy_limit_messages::kQuotaJobsOfProject};
constexpr ScopeMessages kJobsQueued{
    policy_limit_messages::kQuotaQueuedOfUser,
    policy_limit_messages::kQuotaQueuedOfMember,
    policy_limit_messages::kQuotaQueuedOfProject};
constexpr ScopeMessages kJobsSubmitted{
    policy_limit_messages::kQuotaSubmittedByUser,
    policy_limit_messages::kQuotaSubmittedByMember,
    policy_limit_messages::kQuotaSubmittedByProject};

// The messages about GPU-hours: of one job, and with the used ones.
struct HoursMessages {
  const TextTemplate& of_job;
  ScopeMessages used;
};

constexpr HoursMessages kADay{
    policy_limit_messages::kQuotaHoursADay,
    {policy_limit_messages::kQuotaHoursADayOfUser,
     policy_limit_messages::kQuotaHoursADayOfMember,
     policy_limit_messages::kQuotaHoursADayOfProject}};
constexpr HoursMessages kAMonth{
    policy_limit_messages::kQuotaHoursAMonth,
    {policy_limit_messages::kQuotaHoursAMonthOfUser,
     policy_limit_messages::kQuotaHoursAMonthOfMember,
     policy_limit_messages::kQuotaHoursAMonthOfProject}};
constexpr HoursMessages kInAll{
    policy_limit_messages::kQuotaHoursInAll,
    {policy_limit_messages::kQuotaHoursInAllOfUser,
     policy_limit_messages::kQuotaHoursInAllOfMember,
     policy_limit_messages::kQuotaHoursInAllOfProject}};

// Checks a job against one rule.
class Trial {
 public:
  Trial(const QuotaTerms& terms, const QuotaRule& rule)
      : terms_(terms), rule_(rule), usage_(UsageFor(terms, rule)) {}

  std::optional<Violation> Of(const JobUse& use) const {
    switch (rule_.metric) {
      case v1::LIMIT_METRIC_GPUS_PER_JOB:
        return OfOne("gpusPerNode", use.gpus, use.gpus_joined,
                     policy_limit_messages::kQuotaGpus,
                     policy_limit_messages::kQuotaGpusJoined);
      case v1::LIMIT_METRIC_NODES_PER_JOB:
        return OfOne("nodes", use.nodes, use.nodes_joined,
                     policy_limit_messages::kQuotaNodes,
                     policy_limit_messages::kQuotaNodesJoined);
      case v1::LIMIT_METRIC_WALLTIME:
        return OfWalltime(use.walltime);
      case v1::LIMIT_METRIC_GPUS:
        return AtOnce("gpusPerNode", usage_.gpus, Times(use.gpus, use.at_once),
                      policy_limit_messages::kQuotaGpusAtOnce, kGpusTaken);
      case v1::LIMIT_METRIC_NODES:
        return AtOnce("nodes", usage_.nodes, Times(use.nodes, use.at_once),
                      policy_limit_messages::kQuotaNodesAtOnce, kNodesTaken);
      case v1::LIMIT_METRIC_JOBS:
        return OfJobs(usage_.jobs, use.at_once, kJobsLive);
      case v1::LIMIT_METRIC_QUEUED_JOBS:
        return OfJobs(usage_.queued, use.tasks, kJobsQueued);
      case v1::LIMIT_METRIC_JOBS_PER_DAY:
        return OfJobs(usage_.jobs_today, use.tasks, kJobsSubmitted);
      case v1::LIMIT_METRIC_GPU_HOURS_PER_DAY:
        return OfWindow(usage_.day, DayOf(terms_.now), use, kADay);
      case v1::LIMIT_METRIC_GPU_HOURS_PER_MONTH:
        return OfWindow(usage_.month, MonthOf(terms_.now), use, kAMonth);
      case v1::LIMIT_METRIC_GPU_HOURS:
        return OfHours(usage_.ever, Whole(use), Whole(use), kInAll);
      default:
        return std::nullopt;
    }
  }

  // The running job gets `extra`.
  std::optional<Violation> OfMore(const JobUse& use, absl::Time end,
                                  absl::Duration extra) const {
    switch (rule_.metric) {
      case v1::LIMIT_METRIC_WALLTIME:
        return OfWalltime(use.walltime);
      case v1::LIMIT_METRIC_GPU_HOURS_PER_DAY:
        return OfMoreWindow(usage_.day, DayOf(terms_.now), use.gpus, end, extra,
                            kADay);
      case v1::LIMIT_METRIC_GPU_HOURS_PER_MONTH:
        return OfMoreWindow(usage_.month, MonthOf(terms_.now), use.gpus, end,
                            extra, kAMonth);
      case v1::LIMIT_METRIC_GPU_HOURS:
        return OfHours(usage_.ever, extra * use.gpus, extra * use.gpus, kInAll);
      default:
        return std::nullopt;
    }
  }

 private:
  static absl::Duration Whole(const JobUse& use) {
    return use.walltime * Times(use.gpus, use.tasks);
  }
  // The maximum usage in a window of this length.
  static absl::Duration Within(const JobUse& use, absl::Duration length) {
    return std::min(Whole(use), length * Times(use.gpus, use.at_once));
  }

  Violation Refuse(Refusal refusal, const char* field,
                   const DisplayText& found) const {
    const DisplayText source = QuotaSourceText(rule_);
    const TextTemplate& message =
        rule_.metric == v1::LIMIT_METRIC_WALLTIME
            ? policy_limit_messages::kQuotaOfWalltimeExceeded
            : policy_limit_messages::kQuotaExceeded;
    return {refusal,
            field,
            LimitName(rule_.metric),
            absl::StrCat(*rule_.max),
            source,
            MakeText(message, {{"problem", found},
                               {"source", source},
                               {"max", *rule_.max},
                               {"limit", LimitName(rule_.metric)}})};
  }

  const TextTemplate& OfScope(const ScopeMessages& messages) const {
    if (rule_.scope == v1::LIMIT_SCOPE_PROJECT) return messages.project;
    if (rule_.scope == v1::LIMIT_SCOPE_MEMBER) return messages.member;
    return messages.user;
  }

  std::optional<Violation> OfOne(const char* field, int64_t wanted,
                                 int64_t joined, const TextTemplate& alone,
                                 const TextTemplate& with_joined) const {
    if (wanted == 0 || Plus(wanted, joined) <= *rule_.max) return std::nullopt;
    return Refuse(Refusal::kForbidden, field,
                  MakeText(joined > 0 ? with_joined : alone,
                           {{"wanted", wanted}, {"joined", joined}}));
  }

  std::optional<Violation> OfWalltime(absl::Duration walltime) const {
    if (walltime <= absl::Minutes(*rule_.max)) return std::nullopt;
    const int64_t minutes =
        absl::ToInt64Minutes(absl::Ceil(walltime, absl::Minutes(1)));
    return Refuse(
        Refusal::kForbidden, "walltime",
        MakeText(policy_limit_messages::kQuotaWalltime, {{"found", minutes}}));
  }

  std::optional<Violation> AtOnce(const char* field, int64_t used,
                                  int64_t wanted, const TextTemplate& alone,
                                  const ScopeMessages& taken) const {
    if (wanted == 0 || Plus(used, wanted) <= *rule_.max) return std::nullopt;
    if (wanted > *rule_.max) {
      return Refuse(Refusal::kForbidden, field,
                    MakeText(alone, {{"wanted", wanted}}));
    }
    return Refuse(
        Refusal::kExhausted, field,
        MakeText(OfScope(taken), {{"used", used}, {"wanted", wanted}}));
  }

  std::optional<Violation> OfJobs(int64_t used, int64_t wanted,
                                  const ScopeMessages& messages) const {
    if (Plus(used, wanted) <= *rule_.max) return std::nullopt;
    const bool at_once = rule_.metric == v1::LIMIT_METRIC_JOBS;
    if (wanted > 1 && wanted > *rule_.max) {
      return Refuse(Refusal::kForbidden, "batch.array",
                    at_once ? MakeText(policy_limit_messages::kQuotaArrayAtOnce,
                                       {{"wanted", wanted}})
                            : MakeText(policy_limit_messages::kQuotaArray,
                                       {{"wanted", wanted}}));
    }
    DisplayText found = MakeText(OfScope(messages), {{"used", used}});
    if (wanted > 1) {
      found = MakeText(at_once ? policy_limit_messages::kQuotaWithArrayAtOnce
                               : policy_limit_messages::kQuotaWithArray,
                       {{"problem", found}, {"wanted", wanted}});
    }
    return Refuse(
        wanted > *rule_.max ? Refusal::kForbidden : Refusal::kExhausted,
        wanted > 1 ? "batch.array" : "", found);
  }

  std::optional<Violation> OfWindow(const WindowUse& used, const Window& window,
                                    const JobUse& use,
                                    const HoursMessages& messages) const {
    const absl::Duration in_this = Within(use, window.end - terms_.now);
    // The job may start at any time in the window.
    const absl::Duration later = Within(use, window.end - window.begin);
    if (auto now = OfHours(used.now, in_this, later, messages)) return now;
    return OfHours(used.ahead, later, later, messages);
  }

  // The additional usage in this window, and in the fullest later one.
  std::optional<Violation> OfMoreWindow(const WindowUse& used,
                                        const Window& window, int64_t gpus,
                                        absl::Time end, absl::Duration extra,
                                        const HoursMessages& messages) const {
    const absl::Duration length = window.end - window.begin;
    const auto part = [&](absl::Time until) {
      return std::clamp(until - terms_.now, absl::ZeroDuration(),
                        window.end - terms_.now);
    };
    const auto after = [&](absl::Time until) {
      return std::clamp(until - window.end, absl::ZeroDuration(), length);
    };
    const absl::Duration in_this = (part(end + extra) - part(end)) * gpus;
    const absl::Duration later = (after(end + extra) - after(end)) * gpus;
    if (auto now = OfHours(used.now, in_this, in_this, messages)) return now;
    return OfHours(used.ahead, later, later, messages);
  }

  std::optional<Violation> OfHours(absl::Duration used, absl::Duration wanted,
                                   absl::Duration alone,
                                   const HoursMessages& messages) const {
    const absl::Duration max = absl::Hours(*rule_.max);
    if (wanted <= absl::ZeroDuration() || used + wanted <= max) {
      return std::nullopt;
    }
    if (alone > max) {
      return Refuse(Refusal::kForbidden, "walltime",
                    MakeText(messages.of_job, {{"hours", Hours(alone)}}));
    }
    return Refuse(Refusal::kExhausted, "walltime",
                  MakeText(OfScope(messages.used),
                           {{"used", Hours(used)}, {"wanted", Hours(wanted)}}));
  }

  const QuotaTerms& terms_;
  const QuotaRule& rule_;
  const QuotaUsage& usage_;
};

}  // namespace

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
          .at_once = MaxAtOnce(array),
          .walltime = spec.walltime};
}

const char* LimitName(QuotaMetric metric) {
  switch (metric) {
    case v1::LIMIT_METRIC_GPUS_PER_JOB:
      return "max_gpus_per_job";
    case v1::LIMIT_METRIC_GPUS:
      return "max_gpus";
    case v1::LIMIT_METRIC_NODES_PER_JOB:
      return "max_nodes_per_job";
    case v1::LIMIT_METRIC_NODES:
      return "max_nodes";
    case v1::LIMIT_METRIC_JOBS:
      return "max_running_jobs";
    case v1::LIMIT_METRIC_QUEUED_JOBS:
      return "max_queued_jobs";
    case v1::LIMIT_METRIC_JOBS_PER_DAY:
      return "max_jobs_per_day";
    case v1::LIMIT_METRIC_WALLTIME:
      return "max_walltime_min";
    case v1::LIMIT_METRIC_GPU_HOURS_PER_DAY:
      return "max_gpu_hours_per_day";
    case v1::LIMIT_METRIC_GPU_HOURS_PER_MONTH:
      return "max_gpu_hours_per_month";
    case v1::LIMIT_METRIC_GPU_HOURS:
      return "max_gpu_hours";
    default:
      return "limit";
  }
}

DisplayText QuotaSourceText(const QuotaRule& rule) {
  const std::string& project =
      rule.project_name.empty() ? rule.project : rule.project_name;
  switch (rule.scope) {
    case v1::LIMIT_SCOPE_ROLE:
      return MakeText(policy_spec_messages::kSourceRole, {{"role", rule.name}});
    case v1::LIMIT_SCOPE_GROUP:
      return MakeText(policy_limit_messages::kSourceGroup,
                      {{"group", rule.name}});
    case v1::LIMIT_SCOPE_PROJECT:
      return MakeText(policy_limit_messages::kSourceProject,
                      {{"project", project}});
    case v1::LIMIT_SCOPE_USER:
      return MakeText(policy_limit_messages::kSourceUser,
                      {{"user", rule.username}});
    case v1::LIMIT_SCOPE_MEMBER:
      return rule.uid == kNoUid
                 ? MakeText(policy_limit_messages::kSourceMembers,
                            {{"project", project}})
                 : MakeText(policy_limit_messages::kSourceMember,
                            {{"user", rule.username}, {"project", project}});
    default:
      return "carme";
  }
}

std::string QuotaSource(const QuotaRule& rule) {
  return QuotaSourceText(rule).text;
}

const QuotaUsage& UsageFor(const QuotaTerms& terms, const QuotaRule& rule) {
  if (rule.scope == v1::LIMIT_SCOPE_PROJECT) return terms.project;
  if (rule.scope == v1::LIMIT_SCOPE_MEMBER) return terms.member;
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
    case v1::LIMIT_METRIC_GPUS:
      return count(usage.gpus);
    case v1::LIMIT_METRIC_NODES:
      return count(usage.nodes);
    case v1::LIMIT_METRIC_JOBS:
      return count(usage.jobs);
    case v1::LIMIT_METRIC_QUEUED_JOBS:
      return count(usage.queued);
    case v1::LIMIT_METRIC_JOBS_PER_DAY:
      return count(usage.jobs_today);
    case v1::LIMIT_METRIC_GPU_HOURS_PER_DAY:
      return hours(std::max(usage.day.now, usage.day.ahead), usage.day.spent);
    case v1::LIMIT_METRIC_GPU_HOURS_PER_MONTH:
      return hours(std::max(usage.month.now, usage.month.ahead),
                   usage.month.spent);
    case v1::LIMIT_METRIC_GPU_HOURS:
      return hours(usage.ever, usage.ever_spent);
    default:
      return {};
  }
}

std::vector<QuotaRule> RulesOf(const Limits& limits, Role role) {
  const std::string name(
      RoleName(role == Role::kAdmin ? Role::kAdmin : Role::kUser));
  std::vector<QuotaRule> rules;
  const auto add = [&](QuotaMetric metric, int64_t max) {
    if (max <= 0) return;
    rules.push_back({.scope = v1::LIMIT_SCOPE_ROLE,
                     .name = name,
                     .metric = metric,
                     .max = max});
  };
  add(v1::LIMIT_METRIC_GPUS_PER_JOB, limits.max_gpus_per_job);
  add(v1::LIMIT_METRIC_WALLTIME, absl::ToInt64Minutes(limits.max_walltime));
  add(v1::LIMIT_METRIC_JOBS, limits.max_running_jobs);
  return rules;
}

std::vector<QuotaRule> Applying(const std::vector<QuotaRule>& rules,
                                const QuotaPerson& person,
                                const std::string& project, absl::Time now) {
  std::vector<QuotaRule> applying;
  for (int number = 1; number <= kQuotaMetrics; ++number) {
    const auto metric = static_cast<QuotaMetric>(number);
    const QuotaRule* of_person = nullptr;
    Rank best = kNone;
    const QuotaRule* of_project = nullptr;
    const QuotaRule* of_member = nullptr;
    for (const QuotaRule& rule : rules) {
      if (rule.metric != metric) continue;
      if (rule.expires_at && *rule.expires_at <= now) continue;
      const bool here = !project.empty() && rule.project == project;
      if (here && rule.scope == v1::LIMIT_SCOPE_PROJECT) of_project = &rule;
      if (here && rule.scope == v1::LIMIT_SCOPE_MEMBER) {
        const bool own = rule.uid == person.uid && person.uid != kNoUid;
        if (own || (rule.uid == kNoUid && of_member == nullptr)) {
          of_member = &rule;
        }
      }
      const Rank rank = RankOf(rule, person);
      if (rank == kNone || rank > best) continue;
      if (rank == best && !IsNarrower(rule, *of_person)) continue;
      best = rank;
      of_person = &rule;
    }
    for (const QuotaRule* rule : {of_person, of_project, of_member}) {
      if (rule != nullptr) applying.push_back(*rule);
    }
  }
  return applying;
}

std::vector<Violation> CheckQuotas(const QuotaTerms& terms, const JobUse& use) {
  std::vector<Violation> violations;
  for (const QuotaRule& rule : terms.rules) {
    if (!rule.max) continue;
    if (auto violation = Trial(terms, rule).Of(use)) {
      violations.push_back(*std::move(violation));
    }
  }
  return violations;
}

std::vector<Violation> CheckMore(const QuotaTerms& terms, const JobUse& use,
                                 absl::Time end, absl::Duration extra) {
  std::vector<Violation> violations;
  for (const QuotaRule& rule : terms.rules) {
    if (!rule.max) continue;
    if (auto violation = Trial(terms, rule).OfMore(use, end, extra)) {
      violations.push_back(*std::move(violation));
    }
  }
  return violations;
}

}  // namespace carme::backend
