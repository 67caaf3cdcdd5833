// Limits and quotas: the number of GPUs, jobs and GPU hours of a user or a
// project, by rule. Pure values and functions.
#ifndef CARME_BACKEND_POLICY_LIMITS_QUOTA_H_
#define CARME_BACKEND_POLICY_LIMITS_QUOTA_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "backend/identity/session.h"
#include "backend/policy/spec/job_spec.h"
#include "backend/policy/spec/limits.h"
#include "backend/policy/spec/violation.h"
#include "carme/v1/limit.pb.h"

namespace carme::backend {

// Their numbers are stored in the database. A rule for a role or a group
// applies to each user with it, a rule for a project to the sum of its jobs.
using QuotaScope = v1::LimitScope;
using QuotaMetric = v1::LimitMetric;
inline constexpr int kQuotaMetrics = v1::LimitMetric_MAX;

struct QuotaRule {
  QuotaScope scope = v1::LIMIT_SCOPE_ROLE;
  std::string name{};          // of the role or the group
  std::string project{};       // project id
  std::string project_name{};  // for messages; not part of the rule
  Uid uid = kNoUid;            // kMember with kNoUid: each member
  std::string username{};
  QuotaMetric metric = v1::LIMIT_METRIC_GPUS_PER_JOB;
  std::optional<int64_t> max{};  // in the metric's unit; absent: no limit
  std::string note{};            // shown to the affected users
  std::string set_by{};          // empty: the configuration
  absl::Time set_at = absl::InfinitePast();
  std::optional<absl::Time> expires_at{};
  friend bool operator==(const QuotaRule&, const QuotaRule&) = default;
};

// The maximum use of a job. An array counts its tasks.
struct JobUse {
  int64_t gpus = 0;   // of one task
  int64_t nodes = 1;  // of one task
  int64_t tasks = 1;
  int64_t at_once = 1;
  absl::Duration walltime{};
  // The use of the job that it joins with its linked jobs: limits per job count
  // them together.
  int64_t gpus_joined = 0;
  int64_t nodes_joined = 0;
};
// REQUIRES: the numbers of the spec are not negative.
JobUse UseOf(const JobSpec& spec);

// GPU time (GPUs × time) in a day or month of UTC.
struct WindowUse {
  absl::Duration spent{};  // until now
  absl::Duration now{};    // in this window, with the maximum of active jobs
  absl::Duration ahead{};  // in any later window: the maximum of active jobs
};

// What jobs have used and may still use.
struct QuotaUsage {
  int64_t gpus = 0;  // of active jobs
  int64_t nodes = 0;
  int64_t jobs = 0;
  int64_t queued = 0;
  int64_t jobs_today = 0;
  WindowUse day{};
  WindowUse month{};
  absl::Duration ever_spent{};
  absl::Duration ever{};  // with the maximum of active jobs
};

// The rules that apply to one job, with their usage.
struct QuotaTerms {
  std::vector<QuotaRule> rules{};
  QuotaUsage person{};
  QuotaUsage project{};  // of all its jobs
  QuotaUsage member{};   // of this user in it
  absl::Time now{};
};

// The day and the month of UTC that contain a time.
struct Window {
  absl::Time begin{};
  absl::Time end{};
};
Window DayOf(absl::Time now);
Window MonthOf(absl::Time now);

// The user, as rules see them.
struct QuotaPerson {
  Uid uid = kNoUid;
  Role role = Role::kUser;
  std::vector<std::string> groups{};
};

// The rules that apply. For a user and each metric the most specific one: their
// own, else the lowest of their groups, else of their role, else of the
// configuration. In addition, if `project` is not empty, the rule of the
// project, and that of the member or else of each member. All of them must
// hold. Expired rules do not apply.
std::vector<QuotaRule> Applying(const std::vector<QuotaRule>& rules,
                                const QuotaPerson& person,
                                const std::string& project, absl::Time now);

// [limits.*] of the configuration as rules of that role.
std::vector<QuotaRule> RulesOf(const Limits& limits, Role role);

// The rules that the job would violate.
std::vector<Violation> CheckQuotas(const QuotaTerms& terms, const JobUse& use);
// The same for a running job that ends at `end` and is extended by `extra` to
// the walltime of the use. REQUIRES: the terms include its use until `end`.
// until then is in the terms.
std::vector<Violation> CheckMore(const QuotaTerms& terms, const JobUse& use,
                                 absl::Time end, absl::Duration extra);

// "max_gpus_per_job"
const char* LimitName(QuotaMetric metric);
// The source of a rule: "role user", "user ada in project Chem".
DisplayText QuotaSourceText(const QuotaRule& rule);
std::string QuotaSource(const QuotaRule& rule);
// The usage that a rule is checked against.
const QuotaUsage& UsageFor(const QuotaTerms& terms, const QuotaRule& rule);
// The used amount in the metric's unit; GPU hours with their fraction and the
// spent part. 0 for metrics of single jobs.
struct Used {
  double all = 0;
  double spent = 0;
};
Used UsedOf(const QuotaUsage& usage, QuotaMetric metric);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_LIMITS_QUOTA_H_
