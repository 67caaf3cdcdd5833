// Limits with what has been used of them: how many GPUs, jobs and GPU-hours a
// person or a project may have, by which rule. Pure values and functions.
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

namespace carme::backend {

// carme.v1.LimitScope's numbers. Those of a role and of a group are for each
// person who has it; a project's is for all of its jobs together.
enum class QuotaScope {
  kRole = 1,
  kGroup = 2,
  kProject = 3,
  kUser = 4,
  kMember = 5,  // one person's jobs in one project
};

// carme.v1.LimitMetric's numbers.
enum class QuotaMetric {
  kGpusPerJob = 1,
  kGpus = 2,  // of all jobs that have not ended
  kNodesPerJob = 3,
  kNodes = 4,
  kJobs = 5,        // that have not ended; of an array, as many as run at once
  kQueuedJobs = 6,  // that have not started
  kJobsPerDay = 7,  // submitted
  kWalltime = 8,    // minutes
  kGpuHoursPerDay = 9,
  kGpuHoursPerMonth = 10,
  kGpuHours = 11,  // ever
};
inline constexpr int kQuotaMetrics = 11;

struct QuotaRule {
  QuotaScope scope = QuotaScope::kRole;
  std::string name{};          // of the role or the group
  std::string project{};       // its id
  std::string project_name{};  // for words; not part of the rule
  Uid uid = kNoUid;            // kMember: kNoUid means each member
  std::string username{};
  QuotaMetric metric = QuotaMetric::kGpusPerJob;
  std::optional<int64_t> most{};  // in the metric's unit; absent: no limit
  std::string note{};             // why, for who reads it
  std::string set_by{};           // empty: the configuration
  absl::Time set_at = absl::InfinitePast();
  std::optional<absl::Time> expires_at{};
  friend bool operator==(const QuotaRule&, const QuotaRule&) = default;
};

// What a job may use at the most. An array counts its tasks.
struct JobUse {
  int64_t gpus = 0;   // of one task
  int64_t nodes = 1;  // of one task
  int64_t tasks = 1;
  int64_t at_once = 1;
  absl::Duration walltime{};
  // Of the job that it joins, with its companions: to a limit of one job they
  // are one.
  int64_t gpus_joined = 0;
  int64_t nodes_joined = 0;
};
// REQUIRES: a spec whose numbers are not negative.
JobUse UseOf(const JobSpec& spec);

// GPU time, GPUs × time, of a day or month of UTC.
struct WindowUse {
  absl::Duration spent{};  // until now
  absl::Duration now{};    // in this one, with what runs and waits: the worst
  absl::Duration ahead{};  // in any later one: the worst
};

// What somebody's jobs have used and may still use.
struct QuotaUsage {
  int64_t gpus = 0;  // of jobs that have not ended
  int64_t nodes = 0;
  int64_t jobs = 0;
  int64_t queued = 0;
  int64_t jobs_today = 0;
  WindowUse day{};
  WindowUse month{};
  absl::Duration ever_spent{};
  absl::Duration ever{};  // with what runs and waits
};

// The rules that apply to one job, and the use that they are held against.
struct QuotaTerms {
  std::vector<QuotaRule> rules{};
  QuotaUsage person{};
  QuotaUsage project{};  // of all in it
  QuotaUsage member{};   // of this person in it
  absl::Time now{};
};

// The day and the month of UTC that a moment is in.
struct Window {
  absl::Time begin{};
  absl::Time end{};
};
Window DayOf(absl::Time now);
Window MonthOf(absl::Time now);

// Who asks, as rules see them.
struct QuotaPerson {
  Uid uid = kNoUid;
  Role role = Role::kUser;
  std::vector<std::string> groups{};
};

// Which of the rules apply. For a person the most specific one of each metric:
// their own, else the narrowest of their groups', else their role's, else the
// configuration's. Beside it, where `project` is not empty, the project's, and
// the member's own or else each member's. All that are given must hold. A rule
// that has expired is as if it were not there.
std::vector<QuotaRule> Applying(const std::vector<QuotaRule>& rules,
                                const QuotaPerson& person,
                                const std::string& project, absl::Time now);

// [limits.*] of the configuration as rules of that role.
std::vector<QuotaRule> RulesOf(const Limits& limits, Role role);

// Every rule that the job would break.
std::vector<Violation> CheckQuotas(const QuotaTerms& terms, const JobUse& use);
// The same for a running job that ends at `end`, and is to get `extra` beyond
// it and then be as long as the use's walltime says. REQUIRES: what it may use
// until then is in the terms.
std::vector<Violation> CheckMore(const QuotaTerms& terms, const JobUse& use,
                                 absl::Time end, absl::Duration extra);

// "max_gpus_per_job"
const char* LimitName(QuotaMetric metric);
// Whose rule it is: "role user", "user ada in project Chem".
std::string QuotaSource(const QuotaRule& rule);
// The usage that a rule is held against.
const QuotaUsage& UsageFor(const QuotaTerms& terms, const QuotaRule& rule);
// What of it is used, in the metric's unit; GPU-hours with their fraction, and
// of them what has been spent. Of a metric of single jobs: 0.
struct Used {
  double all = 0;
  double spent = 0;
};
Used UsedOf(const QuotaUsage& usage, QuotaMetric metric);

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_LIMITS_QUOTA_H_
