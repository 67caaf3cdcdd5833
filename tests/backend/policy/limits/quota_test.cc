#include "backend/policy/limits/quota.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace carme::backend {
namespace {

using Metric = QuotaMetric;

const Uid kAda{20001};
const absl::Time kNow = absl::FromUnixSeconds(1'800'000'000);  // 08:00 UTC

QuotaRule Rule(QuotaScope scope, const std::string& name,
               std::optional<int64_t> max,
               Metric metric = v1::LIMIT_METRIC_GPUS) {
  QuotaRule rule{.scope = scope, .metric = metric, .max = max};
  rule.set_by = "carol";
  switch (scope) {
    case v1::LIMIT_SCOPE_ROLE:
    case v1::LIMIT_SCOPE_GROUP:
      rule.name = name;
      break;
    case v1::LIMIT_SCOPE_USER:
      rule.username = name;
      rule.uid = name == "ada" ? kAda : Uid(20002);
      break;
    case v1::LIMIT_SCOPE_MEMBER:
      if (!name.empty()) rule.uid = name == "ada" ? kAda : Uid(20002);
      rule.username = name;
      [[fallthrough]];
    case v1::LIMIT_SCOPE_PROJECT:
      rule.project = "p";
      rule.project_name = "Chem";
      break;
    default:
      FAIL("unknown scope");
  }
  return rule;
}

QuotaRule Configured(const std::string& role, int64_t max) {
  QuotaRule rule = Rule(v1::LIMIT_SCOPE_ROLE, role, max);
  rule.set_by.clear();
  return rule;
}

std::string Applied(const std::vector<QuotaRule>& rules,
                    const QuotaPerson& person, const std::string& project) {
  std::vector<std::string> words;
  for (const QuotaRule& rule : Applying(rules, person, project, kNow)) {
    words.push_back(absl::StrCat(QuotaSource(rule), " ",
                                 rule.max ? absl::StrCat(*rule.max) : "any"));
  }
  return absl::StrJoin(words, "; ");
}

TEST_CASE("quota: of a person the most specific rule applies", "[policy]") {
  const auto kRole = v1::LIMIT_SCOPE_ROLE;
  const auto kGroup = v1::LIMIT_SCOPE_GROUP;
  const auto kUser = v1::LIMIT_SCOPE_USER;
  const QuotaPerson ada{kAda, Role::kUser, {"chem", "staff"}};
  const QuotaPerson manager{kAda, Role::kManager, {}};
  const QuotaPerson admin{kAda, Role::kAdmin, {}};
  std::vector<QuotaRule> rules = {Configured("user", 1), Configured("admin", 9),
                                  Rule(kGroup, "physics", 50),
                                  Rule(kUser, "bob", 60)};
  CHECK(Applied({}, ada, "").empty());
  CHECK(Applied(rules, ada, "") == "role user 1");
  CHECK(Applied(rules, manager, "") == "role user 1");
  CHECK(Applied(rules, admin, "") == "role admin 9");
  rules.push_back(Rule(kRole, "user", 2));
  CHECK(Applied(rules, ada, "") == "role user 2");
  CHECK(Applied(rules, admin, "") == "role admin 9");
  rules.push_back(Rule(kRole, "manager", 3));
  CHECK(Applied(rules, manager, "") == "role manager 3");
  rules.push_back(Rule(kGroup, "chem", 8));
  CHECK(Applied(rules, ada, "") == "group chem 8");
  // The narrowest of several groups; none is wider than any number.
  rules.push_back(Rule(kGroup, "staff", 5));
  CHECK(Applied(rules, ada, "") == "group staff 5");
  rules.back().max.reset();
  CHECK(Applied(rules, ada, "") == "group chem 8");
  rules.push_back(Rule(kUser, "ada", std::nullopt));
  CHECK(Applied(rules, ada, "") == "user ada any");
  rules.back().expires_at = kNow;
  CHECK(Applied(rules, ada, "") == "group chem 8");
  // It does not affect another metric.
  rules.back() = Rule(kUser, "ada", 4, v1::LIMIT_METRIC_NODES);
  CHECK(Applied(rules, ada, "") == "group chem 8; user ada 4");
}

TEST_CASE("quota: a project's rules apply beside the person's", "[policy]") {
  const QuotaPerson ada{kAda, Role::kUser, {}};
  std::vector<QuotaRule> rules = {Rule(v1::LIMIT_SCOPE_USER, "ada", 1),
                                  Rule(v1::LIMIT_SCOPE_PROJECT, "", 20),
                                  Rule(v1::LIMIT_SCOPE_MEMBER, "bob", 30),
                                  Rule(v1::LIMIT_SCOPE_MEMBER, "", 2)};
  CHECK(Applied(rules, ada, "") == "user ada 1");
  CHECK(Applied(rules, ada, "q") == "user ada 1");
  CHECK(Applied(rules, ada, "p") ==
        "user ada 1; project Chem 20; each member of project Chem 2");
  // Before and after it in the list.
  for (const bool first : {true, false}) {
    std::vector<QuotaRule> more = rules;
    more.insert(first ? more.begin() : more.end(),
                Rule(v1::LIMIT_SCOPE_MEMBER, "ada", 7));
    CHECK(Applied(more, ada, "p") ==
          "user ada 1; project Chem 20; user ada in project Chem 7");
  }
}

struct Row {
  Metric metric;
  int64_t max;
  std::string refusal;  // empty: allowed
};

TEST_CASE("quota: each metric at its bound and beyond", "[policy]") {
  QuotaTerms terms;
  terms.now = kNow;
  terms.person = {.gpus = 3,
                  .nodes = 2,
                  .jobs = 4,
                  .queued = 1,
                  .jobs_today = 6,
                  .day = {absl::Hours(1), absl::Hours(5), absl::Hours(2)},
                  .month = {absl::Hours(1), absl::Hours(50), absl::Hours(20)},
                  .ever_spent = absl::Hours(70),
                  .ever = absl::Hours(100)};
  const JobUse use{.gpus = 2, .nodes = 2, .walltime = absl::Hours(3)};
  const std::vector<Row> rows = {
      {v1::LIMIT_METRIC_GPUS_PER_JOB, 2, ""},
      {v1::LIMIT_METRIC_GPUS_PER_JOB, 1, "job requests 2 GPUs"},
      {v1::LIMIT_METRIC_GPUS, 5, ""},
      {v1::LIMIT_METRIC_GPUS, 4,
       "your jobs that have not ended have 3 GPUs and this one requests 2"},
      {v1::LIMIT_METRIC_GPUS, 1, "job requests 2 GPUs at once"},
      {v1::LIMIT_METRIC_NODES_PER_JOB, 2, ""},
      {v1::LIMIT_METRIC_NODES_PER_JOB, 1, "job requests 2 nodes"},
      {v1::LIMIT_METRIC_NODES, 4, ""},
      {v1::LIMIT_METRIC_NODES, 3,
       "your jobs that have not ended have 2 nodes and this one requests 2"},
      {v1::LIMIT_METRIC_JOBS, 5, ""},
      {v1::LIMIT_METRIC_JOBS, 4, "user has 4 jobs that have not ended"},
      {v1::LIMIT_METRIC_QUEUED_JOBS, 2, ""},
      {v1::LIMIT_METRIC_QUEUED_JOBS, 1, "user has 1 jobs that wait"},
      {v1::LIMIT_METRIC_JOBS_PER_DAY, 7, ""},
      {v1::LIMIT_METRIC_JOBS_PER_DAY, 6,
       "user has 6 jobs submitted today (UTC)"},
      {v1::LIMIT_METRIC_WALLTIME, 180, ""},
      {v1::LIMIT_METRIC_WALLTIME, 179, "walltime is 180 min"},
      {v1::LIMIT_METRIC_GPU_HOURS_PER_DAY, 11, ""},
      {v1::LIMIT_METRIC_GPU_HOURS_PER_DAY, 10,
       "your jobs have used, or may still use, 5 GPU-hours a day and this one "
       "up to 6"},
      {v1::LIMIT_METRIC_GPU_HOURS_PER_DAY, 5, "job may use 6 GPU-hours a day"},
      {v1::LIMIT_METRIC_GPU_HOURS_PER_MONTH, 56, ""},
      {v1::LIMIT_METRIC_GPU_HOURS_PER_MONTH, 55,
       "your jobs have used, or may still use, 50 GPU-hours a month and this "
       "one up to 6"},
      {v1::LIMIT_METRIC_GPU_HOURS, 106, ""},
      {v1::LIMIT_METRIC_GPU_HOURS, 105,
       "your jobs have used, or may still use, 100 GPU-hours in all and this "
       "one up to 6"},
  };
  for (const Row& row : rows) {
    INFO(LimitName(row.metric) << " " << row.max);
    terms.rules = {Rule(v1::LIMIT_SCOPE_USER, "ada", row.max, row.metric)};
    const std::vector<Violation> found = CheckQuotas(terms, use);
    if (row.refusal.empty()) {
      CHECK(found.empty());
      continue;
    }
    REQUIRE(found.size() == 1);
    CHECK(found[0].limit == LimitName(row.metric));
    CHECK(found[0].value == absl::StrCat(row.max));
    CHECK(found[0].source.text == "user ada");
    CHECK(found[0].message.text ==
          absl::StrCat(row.refusal, ": user ada allows at most ", row.max,
                       row.metric == v1::LIMIT_METRIC_WALLTIME ? " min" : "",
                       " (", LimitName(row.metric), ")"));
  }
  // Nothing is refused for what a job does not want.
  for (int metric = 1; metric <= kQuotaMetrics; ++metric) {
    terms.rules = {
        Rule(v1::LIMIT_SCOPE_USER, "ada", {}, static_cast<Metric>(metric))};
    CHECK(CheckQuotas(terms, use).empty());
  }
  terms.rules = {
      Rule(v1::LIMIT_SCOPE_USER, "ada", 0, v1::LIMIT_METRIC_GPUS),
      Rule(v1::LIMIT_SCOPE_USER, "ada", 0, v1::LIMIT_METRIC_GPU_HOURS)};
  CHECK(CheckQuotas(terms, {.walltime = absl::Hours(1)}).empty());
}

TEST_CASE("quota: names a limit that the job can never meet", "[policy]") {
  QuotaTerms terms;
  terms.now = kNow;
  terms.person.gpus = 1;
  terms.rules = {Rule(v1::LIMIT_SCOPE_USER, "ada", 2)};
  const auto refusal = [&](int64_t gpus) {
    const auto found =
        CheckQuotas(terms, {.gpus = gpus, .walltime = absl::Hours(1)});
    REQUIRE(found.size() == 1);
    return found[0].refusal;
  };
  CHECK(refusal(2) == Refusal::kExhausted);
  CHECK(refusal(3) == Refusal::kForbidden);
}

TEST_CASE("quota: a job that may wait counts for tomorrow, too", "[policy]") {
  QuotaTerms terms;
  terms.now = DayOf(kNow).end - absl::Hours(1);
  terms.rules = {
      Rule(v1::LIMIT_SCOPE_USER, "ada", 4, v1::LIMIT_METRIC_GPU_HOURS_PER_DAY)};
  const JobUse four{.gpus = 1, .walltime = absl::Hours(4)};
  CHECK(CheckQuotas(terms, four).empty());
  terms.person.day = {.now = absl::Hours(3)};  // today's rest is one hour
  CHECK(CheckQuotas(terms, four).empty());
  terms.person.day = {.now = absl::Hours(4)};
  CHECK(CheckQuotas(terms, four).size() == 1);
  terms.person.day = {.ahead = absl::Hours(1)};
  CHECK(CheckQuotas(terms, four).size() == 1);
  // A day has 24 hours, however long a job is.
  terms.rules[0].max = 24;
  terms.person.day = {};
  CHECK(CheckQuotas(terms, {.gpus = 1, .walltime = absl::Hours(200)}).empty());
  CHECK(CheckQuotas(terms, {.gpus = 2, .walltime = absl::Hours(200)}).size() ==
        1);
}

TEST_CASE("quota: an extension counts where it falls", "[policy]") {
  QuotaTerms terms;
  const absl::Time midnight = DayOf(kNow).end;
  terms.now = midnight - absl::Hours(4);
  terms.rules = {Rule(v1::LIMIT_SCOPE_USER, "ada", 24,
                      v1::LIMIT_METRIC_GPU_HOURS_PER_DAY)};
  // One GPU all day long is allowed without end, another hour of today is not.
  terms.person.day = {.spent = absl::Hours(20),
                      .now = absl::Hours(24),
                      .ahead = absl::Hours(24)};
  const JobUse one{.gpus = 1, .walltime = absl::Hours(100)};
  const absl::Duration hour = absl::Hours(1);
  CHECK(CheckMore(terms, one, midnight + absl::Hours(24), hour).empty());
  CHECK(CheckMore(terms, one, midnight - hour, hour).size() == 1);
  CHECK(CheckMore(terms, one, midnight + hour, hour).size() == 1);
  terms.person.day.ahead = absl::Hours(23);
  CHECK(CheckMore(terms, one, midnight + hour, hour).empty());
  CHECK(CheckMore(terms, one, midnight + hour, 2 * hour).size() == 1);
  // One that is overdue begins now.
  terms.person.day = {.now = absl::Hours(23)};
  CHECK(CheckMore(terms, one, terms.now - hour, 2 * hour).empty());
  CHECK(CheckMore(terms, one, terms.now - hour, 3 * hour).size() == 1);
}

TEST_CASE("quota: an array counts its tasks, and those at once", "[policy]") {
  JobSpec spec;
  spec.nodes = 2;
  spec.gpus_per_node = 3;
  spec.walltime = absl::Hours(1);
  const JobUse one = UseOf(spec);
  CHECK(one.gpus == 6);
  CHECK(one.nodes == 2);
  CHECK(one.tasks == 1);
  CHECK(one.at_once == 1);
  spec.batch = BatchSpec{};
  CHECK(UseOf(spec).tasks == 1);
  spec.batch->array = "0-9%4";
  CHECK(UseOf(spec).gpus == 6);
  CHECK(UseOf(spec).tasks == 10);
  CHECK(UseOf(spec).at_once == 4);
  QuotaTerms terms;
  terms.now = kNow;
  terms.rules = {
      Rule(v1::LIMIT_SCOPE_USER, "ada", 4, v1::LIMIT_METRIC_JOBS),
      Rule(v1::LIMIT_SCOPE_USER, "ada", 10, v1::LIMIT_METRIC_QUEUED_JOBS),
      Rule(v1::LIMIT_SCOPE_USER, "ada", 10, v1::LIMIT_METRIC_JOBS_PER_DAY),
      Rule(v1::LIMIT_SCOPE_USER, "ada", 24),
      Rule(v1::LIMIT_SCOPE_USER, "ada", 60, v1::LIMIT_METRIC_GPU_HOURS)};
  CHECK(CheckQuotas(terms, UseOf(spec)).empty());
  for (QuotaRule& rule : terms.rules) --*rule.max;
  const std::vector<Violation> found = CheckQuotas(terms, UseOf(spec));
  REQUIRE(found.size() == 5);
  CHECK(found[0].message.text ==
        "array requests 4 tasks at once: user ada allows at most 3 "
        "(max_running_jobs)");
  CHECK(found[0].field == "batch.array");
  terms.rules[0].max = 5;
  terms.person.jobs = 2;
  CHECK(CheckQuotas(terms, UseOf(spec))[0].message.text ==
        "user has 2 jobs that have not ended and this array has 4 at once: "
        "user ada allows at most 5 (max_running_jobs)");
}

TEST_CASE("quota: numbers too large for arithmetic are refused", "[policy]") {
  QuotaTerms terms;
  terms.now = kNow;
  terms.person.gpus = 1;
  terms.person.ever = absl::Hours(1);
  for (int metric = 1; metric <= kQuotaMetrics; ++metric) {
    terms.rules.push_back(Rule(v1::LIMIT_SCOPE_USER, "ada", 1'000'000'000,
                               static_cast<Metric>(metric)));
  }
  JobSpec spec;
  spec.nodes = INT32_MAX;
  spec.gpus_per_node = INT32_MAX;
  spec.walltime = absl::Hours(8760);
  JobUse use = UseOf(spec);
  use.tasks = use.at_once = INT64_MAX;
  const auto found = CheckQuotas(terms, use);
  std::vector<std::string> names;
  for (const Violation& violation : found) names.push_back(violation.limit);
  // A walltime of a year is none of them.
  CHECK(names.size() == static_cast<size_t>(kQuotaMetrics) - 1);
}

TEST_CASE("quota: windows are days and months of UTC", "[policy]") {
  const absl::TimeZone utc = absl::UTCTimeZone();
  const absl::Time leap =
      absl::FromCivil(absl::CivilSecond(2028, 2, 29, 23, 59, 59), utc);
  CHECK(DayOf(leap).begin == absl::FromCivil(absl::CivilDay(2028, 2, 29), utc));
  CHECK(DayOf(leap).end == absl::FromCivil(absl::CivilDay(2028, 3, 1), utc));
  CHECK(MonthOf(leap).begin ==
        absl::FromCivil(absl::CivilDay(2028, 2, 1), utc));
  CHECK(MonthOf(leap).end == absl::FromCivil(absl::CivilDay(2028, 3, 1), utc));
  CHECK(DayOf(DayOf(leap).end).begin == DayOf(leap).end);
}

}  // namespace
}  // namespace carme::backend
