// Submissions against quotas, with the real table: at the same time, across
// restarts, and after jobs have been forgotten.
#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "tests/backend/jobs/job_fixture.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

JobSpec Wants(int gpus, const std::string& project = "") {
  JobSpec spec;
  spec.gpus_per_node = gpus;
  spec.walltime = absl::Hours(1);
  spec.project = project;
  return spec;
}

void Limit(JobFixture* world, QuotaRule rule) {
  REQUIRE(world->quotas_->Set(std::move(rule), "carol").status() ==
          absl::OkStatus());
}

std::string SharedProject(JobFixture* world) {
  const std::string id = world->AdasProject();
  REQUIRE_THAT(
      world->projects_->Invite(PersonOf(world->ada_), ProjectId(id), "bob"),
      IsOk());
  REQUIRE_THAT(
      world->projects_->ApplyMemberAction(PersonOf(world->bob_), ProjectId(id),
                                          "bob", MemberAction::kAccept),
      IsOk());
  return id;
}

void RunAndEnd(JobFixture* world, const Job& job, absl::Duration lived) {
  world->slurm_.Run(job.slurm_id);
  world->slurm_.Poll();
  world->clock_.Advance(lived);
  world->slurm_.End(job.slurm_id, SlurmState::kCompleted);
  world->slurm_.Poll();
  world->slurm_.DeleteJob(job.slurm_id);
}

TEST_CASE("jobs: submissions at the same time do not exceed a quota together",
          "[jobs]") {
  JobFixture world;
  const std::string project = SharedProject(&world);
  Limit(&world, {.scope = v1::LIMIT_SCOPE_PROJECT,
                 .project = project,
                 .metric = v1::LIMIT_METRIC_GPUS,
                 .max = 7});
  Limit(&world, {.scope = v1::LIMIT_SCOPE_USER,
                 .username = "ada",
                 .metric = v1::LIMIT_METRIC_JOBS,
                 .max = 5});
  std::atomic<int> adas{0}, bobs{0}, wrong{0};
  std::vector<std::thread> people;
  for (int i = 0; i < 10; ++i) {
    people.emplace_back([&, i] {
      const bool is_ada = i % 2 == 0;
      for (int turn = 0; turn < 3; ++turn) {
        const auto job = world.Submit(is_ada ? world.ada_ : world.bob_, "",
                                      Wants(1, project));
        if (job.ok()) {
          ++(is_ada ? adas : bobs);
        } else if (!absl::IsResourceExhausted(job.status())) {
          ++wrong;
        }
      }
    });
  }
  for (std::thread& person : people) person.join();
  CHECK(wrong == 0);
  CHECK(adas + bobs == 7);
  CHECK(adas <= 5);
  CHECK(world.slurm_.Jobs().size() == 7);
}

TEST_CASE(
    "jobs: an exhausted quota is shown by the preview and refused at "
    "submission",
    "[jobs]") {
  JobFixture world;
  Limit(&world, {.scope = v1::LIMIT_SCOPE_USER,
                 .username = "ada",
                 .metric = v1::LIMIT_METRIC_GPU_HOURS,
                 .max = 3});
  const Job job = world.Submit(world.ada_, "", Wants(2)).value();
  const auto refused = world.Submit(world.ada_, "", Wants(2));
  CHECK(absl::IsResourceExhausted(refused.status()));
  CHECK(absl::StrContains(refused.status().message(), "max_gpu_hours"));
  const Decision preview = world.jobs_->Preview(world.ada_, Wants(2));
  REQUIRE(preview.violations.size() == 1);
  CHECK(preview.violations[0].message.text == refused.status().message());
  CHECK(preview.violations[0].source.text == "user ada");
  CHECK(world.jobs_->Preview(world.bob_, Wants(2)).violations.empty());
  // Half an hour of two GPUs is over, and one GPU-hour is back.
  RunAndEnd(&world, job, absl::Minutes(30));
  CHECK_THAT(world.Submit(world.ada_, "", Wants(2)), IsOk());
}

TEST_CASE("jobs: users outside a project do not see its limits", "[jobs]") {
  JobFixture world;
  const std::string project = world.AdasProject();
  Limit(&world, {.scope = v1::LIMIT_SCOPE_PROJECT,
                 .project = project,
                 .metric = v1::LIMIT_METRIC_GPUS_PER_JOB,
                 .max = 1});
  const Decision own = world.jobs_->Preview(world.ada_, Wants(2, project));
  const Decision other = world.jobs_->Preview(world.bob_, Wants(2, project));
  const auto says = [](const Decision& decision, const char* word) {
    for (const Violation& violation : decision.violations) {
      if (absl::StrContains(violation.limit, word)) return true;
    }
    return false;
  };
  CHECK(says(own, "gpus_per_job"));
  CHECK_FALSE(says(other, "gpus_per_job"));
  CHECK(says(other, "membership"));
}

// A job of Ada's with two GPUs, ready on a1.
Job ReadyWithTwo(JobFixture* world, const std::string& project = "") {
  const Job job = world->Submit(world->ada_, "", Wants(2, project)).value();
  world->slurm_.Run(job.slurm_id);
  world->slurm_.Poll();
  REQUIRE_THAT(world->admission_->Register(job.id, {"127.0.0.1", 34000}),
               IsOk());
  REQUIRE_THAT(world->admission_->ReportApp(job.id, kOwnAppReady), IsOk());
  return world->Now(job.id);
}

JobSpec Joins(const Job& job, int gpus) {
  JobSpec spec;
  spec.gpus_per_node = gpus;
  spec.linked_to = job.id.value();
  return spec;
}

TEST_CASE("jobs: to a limit of one job its linked jobs are part of it",
          "[jobs]") {
  JobFixture world;
  const Job job = ReadyWithTwo(&world);
  Limit(&world, {.scope = v1::LIMIT_SCOPE_USER,
                 .username = "ada",
                 .metric = v1::LIMIT_METRIC_GPUS_PER_JOB,
                 .max = 3});
  const absl::Status refused =
      world.Submit(world.ada_, "", Joins(job, 2)).status();
  CHECK(absl::IsPermissionDenied(refused));
  CHECK(StatusOf(world.jobs_->Preview(world.ada_, Joins(job, 2)).violations) ==
        refused);
  const auto first = world.Submit(world.ada_, "", Joins(job, 1));
  REQUIRE_THAT(first, IsOk());
  SlurmJob on_a2 = SlurmJobOf(first->slurm_id, first->id, world.ada_.uid,
                              SlurmState::kRunning);
  on_a2.nodes = {"a2"};
  on_a2.started_at = world.clock_.Now();
  on_a2.ends_at = world.clock_.Now() + absl::Minutes(30);
  world.slurm_.Put(on_a2);
  world.slurm_.Poll();
  REQUIRE_THAT(world.admission_->Register(first->id, {"127.0.0.1", 34001}),
               IsOk());
  REQUIRE_THAT(world.admission_->ReportJoined(first->id), IsOk());
  // The next one is beside both; one GPU more is one too many.
  const auto second = world.Submit(world.ada_, "", Joins(job, 1));
  CHECK(absl::IsPermissionDenied(second.status()));
  CHECK(absl::StrContains(second.status().message(),
                          "beside 3 of the job that it joins"));
  world.Restart();
  world.slurm_.Poll();
  CHECK(absl::IsPermissionDenied(
      world.Submit(world.ada_, "", Joins(job, 1)).status()));
  // A job of its own is within the limit.
  CHECK_THAT(world.Submit(world.ada_, "", Wants(3)), IsOk());
}

TEST_CASE("jobs: a linked job counts for its person and for the job's project",
          "[jobs]") {
  JobFixture world;
  const std::string project = world.AdasProject();
  const Job job = ReadyWithTwo(&world, project);
  const auto refused = [&](QuotaRule rule) {
    Limit(&world, rule);
    const auto answer = world.Submit(world.ada_, "", Joins(job, 2));
    CHECK(absl::IsResourceExhausted(answer.status()));
    REQUIRE_THAT(world.quotas_->Remove(rule), IsOk());
    return std::string(answer.status().message());
  };
  CHECK_THAT(refused({.scope = v1::LIMIT_SCOPE_USER,
                      .username = "ada",
                      .metric = v1::LIMIT_METRIC_GPUS,
                      .max = 3}),
             Catch::Contains("max_gpus"));
  CHECK_THAT(refused({.scope = v1::LIMIT_SCOPE_PROJECT,
                      .project = project,
                      .metric = v1::LIMIT_METRIC_GPUS,
                      .max = 3}),
             Catch::Contains("project Chem allows at most 3"));
  CHECK_THAT(refused({.scope = v1::LIMIT_SCOPE_PROJECT,
                      .project = project,
                      .metric = v1::LIMIT_METRIC_GPU_HOURS,
                      .max = 3}),
             Catch::Contains("project Chem allows at most 3"));
  CHECK_THAT(refused({.scope = v1::LIMIT_SCOPE_MEMBER,
                      .project = project,
                      .metric = v1::LIMIT_METRIC_JOBS,
                      .max = 1}),
             Catch::Contains("max_running_jobs"));
  const auto linked = world.Submit(world.ada_, "", Joins(job, 2));
  REQUIRE_THAT(linked, IsOk());
  CHECK(linked->spec.project == project);
  const auto terms =
      world.quotas_->For(world.quotas_->AskerOf(world.ada_), project);
  REQUIRE_THAT(terms, IsOk());
  CHECK(terms->person.gpus == 4);
  CHECK(terms->project.gpus == 4);
}

TEST_CASE("jobs: a restart keeps usage and reserved amounts", "[jobs]") {
  JobFixture world;
  Limit(&world, {.scope = v1::LIMIT_SCOPE_USER,
                 .username = "ada",
                 .metric = v1::LIMIT_METRIC_GPU_HOURS,
                 .max = 3});
  RunAndEnd(&world, world.Submit(world.ada_, "", Wants(1)).value(),
            absl::Hours(1));
  REQUIRE_THAT(world.Submit(world.ada_, "", Wants(2)), IsOk());
  world.Restart();
  CHECK(absl::IsResourceExhausted(
      world.Submit(world.ada_, "", Wants(1)).status()));
}

TEST_CASE("jobs: deleting a job keeps its usage", "[jobs]") {
  JobFixture world;
  Limit(&world, {.scope = v1::LIMIT_SCOPE_USER,
                 .username = "ada",
                 .metric = v1::LIMIT_METRIC_GPU_HOURS,
                 .max = 2});
  const Job job = world.Submit(world.ada_, "", Wants(2)).value();
  RunAndEnd(&world, job, absl::Hours(1));
  world.Restart();  // its end is in the table then
  world.clock_.Advance(absl::Hours(24 * 4000));
  world.jobs_->Sweep();
  world.quotas_->Sweep();
  CHECK_FALSE(world.jobs_->Get(world.ada_, job.id, "request").ok());
  CHECK(absl::IsResourceExhausted(
      world.Submit(world.ada_, "", Wants(1)).status()));
}

TEST_CASE("jobs: those of a database without usage are counted", "[jobs]") {
  JobFixture world;
  RunAndEnd(&world, world.Submit(world.ada_, "", Wants(1)).value(),
            absl::Hours(1));
  REQUIRE_THAT(world.Submit(world.ada_, "", Wants(2)), IsOk());
  for (const char* sql : {"DELETE FROM live_usage", "DELETE FROM usage_days"}) {
    REQUIRE_THAT(world.database_->Query(
                     [&](Database& db) { return db.Prepare(sql)->Run(); }),
                 IsOk());
  }
  world.Restart();
  const auto terms = world.quotas_->For(world.quotas_->AskerOf(world.ada_), "");
  REQUIRE_THAT(terms, IsOk());
  CHECK(terms->person.ever == absl::Hours(3));
  CHECK(terms->person.ever_spent == absl::Hours(1));
  CHECK(terms->person.jobs == 1);
  CHECK(terms->person.jobs_today == 2);
}

TEST_CASE("jobs: a job that Slurm refused counts no usage", "[jobs]") {
  JobFixture world;
  Limit(&world, {.scope = v1::LIMIT_SCOPE_USER,
                 .username = "ada",
                 .metric = v1::LIMIT_METRIC_JOBS_PER_DAY,
                 .max = 1});
  world.slurm_.set_outcome(FakeSlurm::SlurmOutcome::kRefused);
  CHECK_FALSE(world.Submit(world.ada_).ok());
  world.slurm_.set_outcome(FakeSlurm::SlurmOutcome::kAccepted);
  CHECK_THAT(world.Submit(world.ada_), IsOk());
  CHECK(absl::IsResourceExhausted(world.Submit(world.ada_).status()));
}

TEST_CASE("jobs: refused while the user's groups are unknown", "[jobs]") {
  JobFixture world;
  Limit(&world, {.scope = v1::LIMIT_SCOPE_GROUP,
                 .name = "chem",
                 .metric = v1::LIMIT_METRIC_GPUS,
                 .max = 1});
  world.directory_.SetLookUp([](const std::string&) -> absl::StatusOr<Person> {
    return absl::UnavailableError("ldap://secret: no answer");
  });
  const auto refused = world.Submit(world.bob_);
  CHECK(absl::IsUnavailable(refused.status()));
  CHECK(absl::StrContains(refused.status().message(), "your groups"));
  CHECK_FALSE(absl::StrContains(refused.status().message(), "secret"));
  CHECK(world.jobs_->Preview(world.bob_, {}).violations.size() == 1);
  CHECK(world.slurm_.Jobs().empty());
}

}  // namespace
}  // namespace carme::backend
