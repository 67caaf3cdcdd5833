#include "backend/quotas/quotas.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "tests/backend/quotas/quota_world.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

using Scope = QuotaScope;
using Metric = QuotaMetric;

QuotaRule OfUser(const std::string& name, Metric metric,
                 std::optional<int64_t> max) {
  return {.scope = v1::LIMIT_SCOPE_USER,
          .username = name,
          .metric = metric,
          .max = max};
}

TEST_CASE("quotas: a rule that makes no sense is refused", "[quotas]") {
  QuotaWorld world;
  const absl::Time soon = world.clock_.Now() + absl::Hours(1);
  const std::vector<QuotaRule> senseless = {
      {},
      OfUser("", v1::LIMIT_METRIC_GPUS, 1),
      OfUser("ada", static_cast<Metric>(0), 1),
      OfUser("ada", static_cast<Metric>(12), 1),
      OfUser("ada", v1::LIMIT_METRIC_GPUS, -1),
      OfUser("ada", v1::LIMIT_METRIC_GPUS, Quotas::kMaxAmount + 1),
      {.scope = static_cast<Scope>(0), .name = "x", .max = 1},
      {.scope = static_cast<Scope>(6), .name = "x", .max = 1},
      {.scope = v1::LIMIT_SCOPE_ROLE, .name = "king", .max = 1},
      {.scope = v1::LIMIT_SCOPE_ROLE,
       .name = "user",
       .username = "ada",
       .max = 1},
      {.scope = v1::LIMIT_SCOPE_ROLE,
       .name = "user",
       .project = "chem",
       .max = 1},
      {.scope = v1::LIMIT_SCOPE_GROUP, .max = 1},
      {.scope = v1::LIMIT_SCOPE_PROJECT, .max = 1},
      {.scope = v1::LIMIT_SCOPE_PROJECT,
       .project = "chem",
       .username = "ada",
       .max = 1},
      {.scope = v1::LIMIT_SCOPE_MEMBER, .username = "ada", .max = 1},
      {.scope = v1::LIMIT_SCOPE_USER,
       .project = "chem",
       .username = "ada",
       .max = 1},
      {.scope = v1::LIMIT_SCOPE_GROUP, .name = std::string(200, 'x'), .max = 1},
      {.scope = v1::LIMIT_SCOPE_GROUP, .name = "a\nb", .max = 1},
      {.scope = v1::LIMIT_SCOPE_GROUP, .name = "x", .max = 1, .note = "a\nb"},
      {.scope = v1::LIMIT_SCOPE_GROUP,
       .name = "x",
       .max = 1,
       .expires_at = world.clock_.Now()},
      {.scope = v1::LIMIT_SCOPE_GROUP,
       .name = "x",
       .max = 1,
       .expires_at = absl::FromUnixSeconds(INT64_MAX)},
  };
  for (const QuotaRule& rule : senseless) {
    INFO(QuotaSource(rule) << " " << LimitName(rule.metric));
    CHECK(absl::IsInvalidArgument(world.quotas_->Set(rule, "carol").status()));
  }
  CHECK(world.quotas_->Rules()->empty());
  QuotaRule in_time = OfUser("ada", v1::LIMIT_METRIC_GPUS, 1);
  in_time.expires_at = soon;
  CHECK_THAT(world.quotas_->Set(in_time, "carol"), IsOk());
}

TEST_CASE("quotas: refuses a rule for an unknown user", "[quotas]") {
  QuotaWorld world;
  CHECK(absl::IsNotFound(
      world.quotas_->Set(OfUser("nobody", v1::LIMIT_METRIC_GPUS, 1), "carol")
          .status()));
  QuotaRule nowhere{
      .scope = v1::LIMIT_SCOPE_PROJECT, .project = "none", .max = 1};
  CHECK(absl::IsNotFound(world.quotas_->Set(nowhere, "carol").status()));
  world.away_ = true;
  CHECK(absl::IsUnavailable(
      world.quotas_->Set(OfUser("ada", v1::LIMIT_METRIC_GPUS, 1), "carol")
          .status()));
  CHECK(absl::IsNotFound(
      world.quotas_->Remove(OfUser("ada", v1::LIMIT_METRIC_GPUS, 1))));
}

TEST_CASE("quotas: a rule is replaced, announced and removed", "[quotas]") {
  QuotaWorld world({.max_gpus_per_job = 1});
  const JobUse four{.gpus = 4, .walltime = absl::Hours(1)};
  world.Submit("ada", four);
  CHECK(world.refusal_.message() ==
        "job requests 4 GPUs: role user allows at most 1 (max_gpus_per_job)");
  world.Set(OfUser("ada", v1::LIMIT_METRIC_GPUS_PER_JOB, 3));
  world.Submit("ada", four);
  CHECK(world.refusal_.message() ==
        "job requests 4 GPUs: user ada allows at most 3 (max_gpus_per_job)");
  world.Set(OfUser("ada", v1::LIMIT_METRIC_GPUS_PER_JOB, std::nullopt));
  world.Submit("ada", four);
  CHECK_THAT(world.refusal_, IsOk());
  world.Submit("bob", four);
  CHECK_FALSE(world.refusal_.ok());
  const auto rules = world.quotas_->Rules();
  REQUIRE(rules->size() == 2);
  CHECK(rules->at(0).set_by.empty());
  CHECK(rules->at(1).set_by == "carol");
  // She may be gone from the directory by then.
  world.people_.erase("ada");
  CHECK_THAT(
      world.quotas_->Remove(OfUser("ada", v1::LIMIT_METRIC_GPUS_PER_JOB, {})),
      IsOk());
  CHECK(world.quotas_->Rules()->size() == 1);
}

TEST_CASE("quotas: a rule that has expired is as if it were not there",
          "[quotas]") {
  QuotaWorld world({.max_gpus_per_job = 1});
  QuotaRule more = OfUser("ada", v1::LIMIT_METRIC_GPUS_PER_JOB, 4);
  more.expires_at = world.clock_.Now() + absl::Hours(1);
  world.Set(more);
  const JobUse two{.gpus = 2, .walltime = absl::Hours(1)};
  world.Submit("ada", two);
  CHECK_THAT(world.refusal_, IsOk());
  world.clock_.Advance(absl::Hours(1));
  world.Submit("ada", two);
  CHECK(absl::IsPermissionDenied(world.refusal_));
}

TEST_CASE("quotas: a rule is for a group that the directory has", "[quotas]") {
  QuotaWorld world;
  bool away = false;
  world.directory_.SetFindGroup(
      [&](const std::string& name) -> absl::StatusOr<std::string> {
        if (away) return absl::UnavailableError("ldap: away");
        if (name == "CHEM" || name == "chem") return "chem";
        return absl::NotFoundError("none");
      });
  const std::unique_ptr<Quotas>& quotas = world.quotas_;
  QuotaRule rule{.scope = v1::LIMIT_SCOPE_GROUP,
                 .name = "nonsense-group",
                 .metric = v1::LIMIT_METRIC_GPUS,
                 .max = 2};
  const absl::Status refused = quotas->Set(rule, "carol").status();
  CHECK(absl::IsNotFound(refused));
  CHECK(refused.message() ==
        "the directory has no group \"nonsense-group\" below the site's group "
        "base");
  CHECK(quotas->Rules()->empty());
  rule.name = "CHEM";
  away = true;
  CHECK(absl::IsUnavailable(quotas->Set(rule, "carol").status()));
  away = false;
  // In the way that the directory writes it, as people have it.
  REQUIRE_THAT(quotas->Set(rule, "carol"), IsOk());
  CHECK(quotas->Rules()->at(0).name == "chem");
  // One whose group is gone can be removed.
  away = true;
  rule.name = "chem";
  CHECK_THAT(quotas->Remove(rule), IsOk());
}

TEST_CASE("quotas: refuses if groups are unknown", "[quotas]") {
  QuotaWorld world;
  const JobUse one{.gpus = 1, .walltime = absl::Hours(1)};
  world.away_ = true;
  world.Submit("bob", one);
  CHECK_THAT(world.refusal_, IsOk());  // no rule asks for them
  world.away_ = false;
  const Quotas::Asker before = world.AskerOf("bob");
  world.Set({.scope = v1::LIMIT_SCOPE_GROUP,
             .name = "chem",
             .metric = v1::LIMIT_METRIC_GPUS,
             .max = 2});
  // Looked up before such a rule existed.
  world.In([&](Database& db) {
    CHECK(absl::IsUnavailable(world.quotas_->For(db, before, "").status()));
    return absl::OkStatus();
  });
  world.Submit("bob", {.gpus = 2, .walltime = absl::Hours(1)});
  CHECK(absl::IsResourceExhausted(world.refusal_));
  CHECK(absl::StrContains(world.refusal_.message(), "group chem"));
  world.Submit("ada", {.gpus = 9, .walltime = absl::Hours(1)});
  CHECK_THAT(world.refusal_, IsOk());  // she is in no group
  world.away_ = true;
  world.Submit("bob", one);
  CHECK(absl::IsUnavailable(world.refusal_));
}

TEST_CASE("quotas: a project's quota applies to all its members", "[quotas]") {
  QuotaWorld world;
  world.Project("chem", "Chem");
  world.Set({.scope = v1::LIMIT_SCOPE_PROJECT,
             .project = "chem",
             .metric = v1::LIMIT_METRIC_GPU_HOURS,
             .max = 10});
  world.Set({.scope = v1::LIMIT_SCOPE_MEMBER,
             .project = "chem",
             .metric = v1::LIMIT_METRIC_GPUS,
             .max = 2});
  const JobUse six{.gpus = 2, .walltime = absl::Hours(3)};
  JobUsage job = world.Submit("ada", six, "chem");
  CHECK_THAT(world.refusal_, IsOk());
  world.Submit("ada", {.gpus = 1, .walltime = absl::Hours(1)}, "chem");
  CHECK(absl::StrContains(world.refusal_.message(),
                          "each member of project Chem allows at most 2"));
  world.Submit("bob", six, "chem");
  CHECK(world.refusal_.message() ==
        "the project's jobs have used, or may still use, 6 GPU-hours in all "
        "and this one up to 6: project Chem allows at most 10 "
        "(max_gpu_hours)");
  world.Submit("bob", six);
  CHECK_THAT(world.refusal_, IsOk());  // elsewhere it does not count
  world.Start(&job);
  world.clock_.Advance(absl::Hours(1));
  world.End(&job);  // two of six were used
  world.Submit("bob", six, "chem");
  CHECK_THAT(world.refusal_, IsOk());
}

TEST_CASE("quotas: an extension is checked and counts immediately",
          "[quotas]") {
  QuotaWorld world;
  world.Set(OfUser("ada", v1::LIMIT_METRIC_GPU_HOURS, 10));
  world.Set(OfUser("ada", v1::LIMIT_METRIC_WALLTIME, 400));
  JobUsage job = world.Submit("ada", {.gpus = 2, .walltime = absl::Hours(3)});
  CHECK(absl::IsFailedPrecondition(
      world.ReserveExtension("ada", job, absl::Hours(1))));  // it waits
  world.Start(&job);
  CHECK(absl::IsFailedPrecondition(
      world.ReserveExtension("bob", job, absl::Hours(1))));
  CHECK(absl::IsFailedPrecondition(
      world.ReserveExtension("ada", job, absl::ZeroDuration())));
  CHECK(absl::IsResourceExhausted(
      world.ReserveExtension("ada", job, absl::Minutes(126))));
  CHECK(absl::IsPermissionDenied(
      world.ReserveExtension("ada", job, absl::Hours(6))));
  CHECK_THAT(world.ReserveExtension("ada", job, absl::Hours(2)), IsOk());
  const JobUse one{.gpus = 1, .walltime = absl::Hours(1)};
  world.Submit("ada", one);
  CHECK(absl::IsResourceExhausted(world.refusal_));  // it is promised
  CHECK_FALSE(world.ReserveExtension("ada", job, absl::Minutes(1)).ok());
  // Slurm refused it.
  world.In([&](Database& db) {
    return world.quotas_->CompleteExtension(db, job.job);
  });
  world.Submit("ada", one);
  CHECK_THAT(world.refusal_, IsOk());
}

TEST_CASE("quotas: limits the number of rules", "[quotas]") {
  QuotaWorld world;
  world.Run(absl::StrCat(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i "
      "< ",
      Quotas::kMaxRules,
      ") INSERT INTO quota_rules SELECT 4, '', '', 30000 + i, 'u' || i, 2, 1, "
      "'', 'carol', 0, NULL FROM n"));
  CHECK(absl::IsResourceExhausted(
      world.quotas_->Set(OfUser("ada", v1::LIMIT_METRIC_GPUS, 1), "carol")
          .status()));
  CHECK(world.quotas_->Rules()->size() == Quotas::kMaxRules);
}

TEST_CASE("quotas: the rules of a project go with it", "[quotas]") {
  QuotaWorld world;
  world.Project("chem", "Chem");
  world.Set({.scope = v1::LIMIT_SCOPE_PROJECT, .project = "chem", .max = 1});
  world.quotas_->Sweep();
  CHECK(world.quotas_->Rules()->size() == 1);
  world.Run("DELETE FROM projects");
  world.quotas_->Sweep();
  CHECK(world.quotas_->Rules()->empty());
}

}  // namespace
}  // namespace carme::backend
