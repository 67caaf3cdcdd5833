// Which rules there are, and which of them apply to somebody.
#include <algorithm>
#include <string>

#include "backend/policy/quota.h"

namespace carme::backend {
namespace {

// Most specific first, of those that are about a person.
enum Rank { kOwn, kGroups, kRoles, kUsers, kConfigured, kNone };

Rank RankOf(const QuotaRule& rule, const QuotaPerson& person) {
  const auto& groups = person.groups;
  switch (rule.scope) {
    case QuotaScope::kUser:
      return rule.uid == person.uid && person.uid != kNoUid ? kOwn : kNone;
    case QuotaScope::kGroup:
      return std::find(groups.begin(), groups.end(), rule.name) != groups.end()
                 ? kGroups
                 : kNone;
    case QuotaScope::kRole: {
      const bool is_own = rule.name == RoleName(person.role);
      // Who is no administrator is a user besides.
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
  if (!a.most) return false;
  return !b.most || *a.most < *b.most;
}

}  // namespace

std::vector<QuotaRule> RulesOf(const Limits& limits, Role role) {
  const std::string name(
      RoleName(role == Role::kAdmin ? Role::kAdmin : Role::kUser));
  std::vector<QuotaRule> rules;
  const auto add = [&](QuotaMetric metric, int64_t most) {
    if (most <= 0) return;
    rules.push_back({.scope = QuotaScope::kRole,
                     .name = name,
                     .metric = metric,
                     .most = most});
  };
  add(QuotaMetric::kGpusPerJob, limits.max_gpus_per_job);
  add(QuotaMetric::kWalltime, absl::ToInt64Minutes(limits.max_walltime));
  add(QuotaMetric::kJobs, limits.max_running_jobs);
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
      if (here && rule.scope == QuotaScope::kProject) of_project = &rule;
      if (here && rule.scope == QuotaScope::kMember) {
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

}  // namespace carme::backend
