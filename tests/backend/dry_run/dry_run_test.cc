#include "backend/dry_run/dry_run.h"

#include <catch2/catch.hpp>
#include <string>

#include "tests/backend/dry_run/dry_run_site.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

constexpr auto kGpusPerJob = v1::LIMIT_METRIC_GPUS_PER_JOB;

TEST_CASE("dry run: refuses what could not be saved", "[backend]") {
  DryRunSite site;
  const auto code = [&](const QuotaRule& rule) {
    return site.dry_runs_->TryRule(site.carol_, rule).status().code();
  };
  CHECK(code({}) == absl::StatusCode::kInvalidArgument);
  CHECK(code(DryRunSite::OfRole(kGpusPerJob, -1)) ==
        absl::StatusCode::kInvalidArgument);
  CHECK(code(DryRunSite::OfRole(v1::LIMIT_METRIC_UNSPECIFIED, 1)) ==
        absl::StatusCode::kInvalidArgument);
  CHECK(code({.scope = v1::LIMIT_SCOPE_PROJECT,
              .project = "none",
              .metric = kGpusPerJob}) == absl::StatusCode::kNotFound);
  site.directory_.SetPerson("nobody", absl::NotFoundError("no such person"));
  CHECK(code(DryRunSite::OfUser("nobody", kGpusPerJob, 1)) ==
        absl::StatusCode::kNotFound);
  CHECK(absl::IsInvalidArgument(
      site.dry_runs_->TryTemplate(site.carol_, "", {}).status()));
  CHECK(absl::IsNotFound(
      site.dry_runs_->TryTemplate(site.carol_, "nosuch", {.name = "x"})
          .status()));
  // Not for users, whatever the service in front of it.
  CHECK(absl::IsPermissionDenied(
      site.dry_runs_->TryRule(site.ada_, DryRunSite::OfRole(kGpusPerJob, 1))
          .status()));
}

TEST_CASE("dry run: without jobs nothing is refused", "[backend]") {
  DryRunSite site;
  const DryRunResult result = site.Try(DryRunSite::OfRole(kGpusPerJob, 0));
  CHECK(result.examined == 0);
  CHECK(result.refused == 0);
  CHECK(result.users.empty());
  CHECK(result.jobs.empty());
  CHECK_FALSE(result.truncated);
  CHECK(site.Try("", {.name = "x", .no_gpus = true}).examined == 0);
}

TEST_CASE("dry run: changes nothing", "[backend]") {
  DryRunSite site;
  site.Ran(site.ada_, DryRunSite::Gpus(2));
  const size_t rules = site.quotas_->Rules()->size();
  CHECK(site.Try(DryRunSite::OfUser("ada", kGpusPerJob, 0)).refused == 1);
  CHECK(site.Try("", {.name = "x", .no_gpus = true}).refused == 1);
  CHECK(site.quotas_->Rules()->size() == rules);
  CHECK(site.templates_->All()->empty());
  REQUIRE_THAT(site.database_->Query([&](Database& db) -> absl::Status {
    Statement row =
        db.Prepare("SELECT count(*) FROM events WHERE kind = 22").value();
    CHECK(row.Step().value());
    CHECK(row.Int(0) == 0);
    return absl::OkStatus();
  }),
               IsOk());
  CHECK_THAT(site.Submit(site.ada_, "", DryRunSite::Gpus(2)), IsOk());
}

TEST_CASE("dry run: jobs of the last week are examined, active ones too",
          "[backend]") {
  DryRunSite site;
  site.Ran(site.ada_, DryRunSite::Gpus(2));
  site.clock_.Advance(absl::Hours(24 * 8));
  site.Ran(site.ada_, DryRunSite::Gpus(2));
  site.Begin(site.bob_, DryRunSite::Gpus(2));
  const DryRunResult result = site.Try(DryRunSite::OfRole(kGpusPerJob, 1));
  CHECK(result.examined == 2);
  CHECK(result.refused == 2);
  CHECK(result.since == site.clock_.Now() - DryRuns::kPeriod);
}

TEST_CASE("dry run: names the jobs, their users and the reason", "[backend]") {
  DryRunSite site;
  for (int i = 0; i < 11; ++i) site.Ran(site.ada_, DryRunSite::Gpus(2), 1);
  site.Ran(site.bob_, DryRunSite::Gpus(3), 1);
  site.Ran(site.bob_, DryRunSite::Gpus(1), 1);
  const DryRunResult result = site.Try(DryRunSite::OfRole(kGpusPerJob, 1));
  CHECK(result.examined == 13);
  CHECK(result.refused == 12);
  REQUIRE(result.users.size() == 2);
  CHECK(result.users[0].username == "ada");
  CHECK(result.users[0].refused == 11);
  CHECK(result.users[1].username == "bob");
  CHECK(result.users[1].examined == 2);
  CHECK(result.users[1].refused == 1);
  REQUIRE(result.jobs.size() == DryRuns::kMaxRefused);
  CHECK(result.jobs[0].owner == "ada");
  CHECK(result.jobs[0].violation.message.text ==
        "job requests 2 GPUs: role user allows at most 1 (max_gpus_per_job)");
}

TEST_CASE("dry run: a more specific rule stands, and unlimited refuses nothing",
          "[backend]") {
  DryRunSite site;
  site.Ran(site.ada_, DryRunSite::Gpus(2));
  site.Ran(site.bob_, DryRunSite::Gpus(2));
  REQUIRE_THAT(
      site.quotas_->Set(DryRunSite::OfUser("bob", kGpusPerJob, 4), "carol"),
      IsOk());
  const DryRunResult role = site.Try(DryRunSite::OfRole(kGpusPerJob, 1));
  REQUIRE(role.users.size() == 1);
  CHECK(role.users[0].username == "ada");
  // The rule replaces the one with the same target.
  CHECK(site.Try(DryRunSite::OfUser("bob", kGpusPerJob, 1)).refused == 1);
  CHECK(site.Try(DryRunSite::OfUser("bob", kGpusPerJob, {})).refused == 0);
  // Of groups as the directory has them.
  QuotaRule group{.scope = v1::LIMIT_SCOPE_GROUP,
                  .name = "staff",
                  .metric = kGpusPerJob,
                  .max = 1};
  const DryRunResult staff = site.Try(group);
  REQUIRE(staff.users.size() == 1);
  CHECK(staff.users[0].username == "ada");
  site.directory_.SetPerson("ada", absl::UnavailableError("away"));
  const DryRunResult unknown = site.Try(group);
  CHECK(unknown.examined == 2);
  CHECK(unknown.refused == 0);
  CHECK(unknown.unknown == 1);
}

TEST_CASE("dry run: a limit on use counts what was in use then", "[backend]") {
  DryRunSite site;
  const Job first = site.Begin(site.ada_, DryRunSite::Gpus(1));
  site.Run(first);
  site.clock_.Advance(absl::Minutes(1));
  const Job second = site.Begin(site.ada_, DryRunSite::Gpus(1));
  site.clock_.Advance(absl::Minutes(1));
  site.End(first);
  site.clock_.Advance(absl::Minutes(1));
  site.Begin(site.ada_, DryRunSite::Gpus(2));
  const auto refused = [&](QuotaMetric metric, int64_t max) {
    return site.Try(DryRunSite::OfUser("ada", metric, max));
  };
  const DryRunResult gpus = refused(v1::LIMIT_METRIC_GPUS, 1);
  REQUIRE(gpus.refused == 2);
  CHECK(gpus.jobs[0].id == second.id);
  CHECK(refused(v1::LIMIT_METRIC_GPUS, 2).refused == 1);
  CHECK(refused(v1::LIMIT_METRIC_GPUS, 3).refused == 0);
  CHECK(refused(v1::LIMIT_METRIC_JOBS, 1).refused == 2);
  CHECK(refused(v1::LIMIT_METRIC_JOBS_PER_DAY, 2).refused == 1);
  CHECK(refused(v1::LIMIT_METRIC_GPU_HOURS_PER_DAY, 2).refused == 1);
  CHECK(refused(v1::LIMIT_METRIC_WALLTIME, 30).refused == 3);
}

TEST_CASE("dry run: a limit of a project counts its jobs alone", "[backend]") {
  DryRunSite site;
  const std::string project = site.AdasProject();
  JobSpec spec = DryRunSite::Gpus(1);
  site.Begin(site.ada_, spec);
  site.clock_.Advance(absl::Minutes(1));
  spec.project = project;
  site.Begin(site.ada_, spec);
  site.clock_.Advance(absl::Minutes(1));
  const Job last = site.Begin(site.ada_, spec);
  const DryRunResult result = site.Try({.scope = v1::LIMIT_SCOPE_PROJECT,
                                        .project = project,
                                        .metric = v1::LIMIT_METRIC_GPUS,
                                        .max = 1});
  CHECK(result.examined == 3);
  REQUIRE(result.refused == 1);
  CHECK(result.jobs[0].id == last.id);
  CHECK(result.jobs[0].violation.source.text == "project Chem");
}

TEST_CASE("dry run: a template is tried on its jobs", "[backend]") {
  DryRunSite site;
  JobTemplate settings{.name = "Courses", .max_walltime = absl::Hours(2)};
  const std::string id = site.templates_->Create(settings)->job_template.id;
  REQUIRE_THAT(site.templates_->Attach(id, "", true), IsOk());
  site.Ran(site.ada_, DryRunSite::Gpus(2, absl::Hours(2)));
  site.Ran(site.bob_, DryRunSite::Gpus(1, absl::Hours(1)));
  CHECK(site.Try(id, settings).examined == 2);
  CHECK(site.Try(id, settings).refused == 0);
  settings.max_walltime = absl::Hours(1);
  const DryRunResult shorter = site.Try(id, settings);
  REQUIRE(shorter.refused == 1);
  CHECK(shorter.jobs[0].owner == "ada");
  CHECK(shorter.jobs[0].violation.limit == "max_walltime");
  settings.images = {"other:1"};
  CHECK(site.Try(id, settings).refused == 2);
  // Another template has no jobs; a new one is tried on all.
  CHECK(site.Try(site.templates_->Create({.name = "Empty"})->job_template.id,
                 {.name = "Empty", .no_gpus = true})
            .examined == 0);
  CHECK(site.Try("", {.name = "New", .max_gpus_per_node = 1}).refused == 1);
}

TEST_CASE("dry run: what a template filled in counts as left open",
          "[backend]") {
  DryRunSite site;
  const JobTemplate old{.name = "Courses", .gpu_types = {"a100", "v100"}};
  const std::string id = site.templates_->Create(old)->job_template.id;
  REQUIRE_THAT(site.templates_->Attach(id, "", true), IsOk());
  site.Ran(site.ada_, {.gpus_per_node = 1, .walltime = absl::Hours(1)});
  JobTemplate other = old;
  other.gpu_types = {"v100"};
  CHECK(site.Try(id, other).refused == 0);
}

TEST_CASE("dry run: the number of jobs at once counts by template",
          "[backend]") {
  DryRunSite site;
  JobTemplate settings{.name = "Courses"};
  const std::string id = site.templates_->Create(settings)->job_template.id;
  REQUIRE_THAT(site.templates_->Attach(id, "", true), IsOk());
  const Job first = site.Begin(site.ada_, DryRunSite::Gpus(1));
  site.clock_.Advance(absl::Minutes(1));
  const Job second = site.Begin(site.ada_, DryRunSite::Gpus(1));
  site.Begin(site.bob_, DryRunSite::Gpus(1));
  settings.max_jobs = 1;
  const DryRunResult one = site.Try(id, settings);
  REQUIRE(one.refused == 1);
  CHECK(one.jobs[0].id == second.id);
  CHECK(first.id != second.id);
}

}  // namespace
}  // namespace carme::backend
