#include "backend/jobs/jobs.h"

#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "tests/backend/jobs/job_fixture.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

using SlurmOutcome = FakeSlurm::SlurmOutcome;

TEST_CASE("jobs: not submitted if the audit log cannot be written", "[jobs]") {
  JobFixture world;
  REQUIRE_THAT(world.database_->Query([](Database& self) -> absl::Status {
    return self
        .Prepare(
            "CREATE TRIGGER broken BEFORE INSERT ON audit "
            "BEGIN SELECT raise(ABORT, 'disk'); END")
        ->Run();
  }),
               IsOk());
  CHECK_THAT(world.Submit(world.ada_, "key"),
             StatusIs(absl::StatusCode::kUnavailable));
  CHECK(world.slurm_.Jobs().empty());
  CHECK(world.slurm_.Withdrawn() == 1);
  const auto jobs = world.jobs_->List(world.ada_, "request");
  REQUIRE(jobs->size() == 1);
  CHECK(jobs->at(0).end == v1::JOB_END_NOT_SUBMITTED);
}

TEST_CASE("jobs: an unusable environment is refused before submission",
          "[jobs]") {
  JobFixture world;
  JobSpec spec;
  spec.environment = "torch";
  const auto refused = world.Submit(world.ada_, "", spec);
  CHECK(absl::IsInvalidArgument(refused.status()));
  CHECK(world.jobs_->Preview(world.ada_, spec).violations.size() == 1);
  REQUIRE_THAT(
      world.environments_->Save(world.ada_, "torch", "image = \"/a\"", 0),
      IsOk());
  CHECK(world.jobs_->Preview(world.ada_, spec).violations.empty());
  CHECK_FALSE(world.Submit(world.bob_, "", spec).ok());  // it is Ada's
  CHECK(world.slurm_.Jobs().empty());
  const auto job = world.Submit(world.ada_, "", spec);
  REQUIRE_THAT(job, IsOk());
  CHECK(job->spec.image.empty());
  CHECK(absl::StartsWith(world.jobs_->EnvironmentOf(job->id)->rendered,
                         "image = \"/a\"\n"));
}

TEST_CASE(
    "jobs: an environment whose image is too new for the nodes is refused",
    "[jobs]") {
  JobFixture world;
  world.config_.images[0].driver = "570";
  world.Restart();
  REQUIRE_THAT(world.environments_->Save(world.ada_, "torch",
                                         "image = \"store#base\"", 0),
               IsOk());
  JobSpec spec;
  spec.environment = "torch";
  CHECK(world.jobs_->Preview(world.ada_, spec).violations.empty());
  spec.gpus_per_node = 1;
  const Decision preview = world.jobs_->Preview(world.ada_, spec);
  REQUIRE(preview.violations.size() == 1);
  CHECK(preview.violations[0].field == "environment");
  CHECK(preview.violations[0].limit == "driver");
  CHECK(
      absl::IsFailedPrecondition(world.Submit(world.ada_, "", spec).status()));
  CHECK(world.slurm_.Jobs().empty());
}

TEST_CASE("jobs: a job in a project is for its members, in its account",
          "[jobs]") {
  JobFixture world;
  JobSpec spec;
  spec.project = world.AdasProject();
  // The same error for another user's project and a missing one.
  JobSpec nowhere;
  nowhere.project = NewJobId().value();
  const auto refused = world.Submit(world.bob_, "", spec);
  CHECK(absl::IsPermissionDenied(refused.status()));
  CHECK(refused.status() == world.Submit(world.bob_, "", nowhere).status());
  CHECK(world.jobs_->Preview(world.bob_, spec).violations.size() == 1);
  CHECK(world.slurm_.Jobs().empty());

  const auto job = world.Submit(world.ada_, "", spec);
  REQUIRE_THAT(job, IsOk());
  CHECK(world.slurm_.AccountOf(job->slurm_id) == "chem");
  const auto own = world.Submit(world.ada_);
  REQUIRE_THAT(own, IsOk());
  CHECK(world.slurm_.AccountOf(own->slurm_id).empty());
  world.Restart();
  CHECK(world.Now(job->id).spec.project == spec.project);
}

TEST_CASE("jobs: no job begins in a project that ended while it waited",
          "[jobs]") {
  JobFixture world;
  JobSpec spec;
  spec.project = world.AdasProject();
  const Job job = world.Submit(world.ada_, "", spec).value();
  const Job own = world.Submit(world.ada_).value();
  CHECK_THAT(world.jobs_->MayBegin(job), IsOk());
  REQUIRE_THAT(world.projects_->ApplyAction(PersonOf(world.ada_),
                                            ProjectId(spec.project),
                                            v1::PROJECT_ACTION_CLOSE),
               IsOk());
  const absl::Status refused = world.jobs_->MayBegin(job);
  CHECK(absl::IsFailedPrecondition(refused));
  CHECK(absl::StrContains(refused.message(), "closed"));
  // The agent ends it; its user reads why.
  world.slurm_.End(job.slurm_id, SlurmState::kFailed, 1);
  world.slurm_.Poll();
  CHECK(world.Now(job.id).end == v1::JOB_END_FAILED);
  CHECK(world.Now(job.id).reason.text == refused.message());
  CHECK_THAT(world.jobs_->MayBegin(own), IsOk());
  CHECK(absl::IsPermissionDenied(world.Submit(world.ada_, "", spec).status()));
}

TEST_CASE("jobs: a refusal of the policy leaves no record", "[jobs]") {
  JobFixture world;
  const auto job = world.Submit(world.ada_, "", {.gpus_per_node = 5});
  CHECK_THAT(job, StatusIs(absl::StatusCode::kPermissionDenied));
  CHECK(world.jobs_->List(world.ada_, "r")->empty());
  CHECK(world.slurm_.Jobs().empty());
}

TEST_CASE("jobs: a refusal of Slurm ends the job with Slurm's message",
          "[jobs]") {
  JobFixture world;
  world.slurm_.set_outcome(SlurmOutcome::kRefused);
  const auto refused = world.Submit(world.ada_, "key");
  CHECK_THAT(refused, StatusIs(absl::StatusCode::kFailedPrecondition));
  CHECK(refused.status().message() == "Slurm says: Invalid account");
  const auto jobs = *world.jobs_->List(world.ada_, "r");
  REQUIRE(jobs.size() == 1);
  CHECK(jobs[0].end == v1::JOB_END_NOT_SUBMITTED);
  CHECK(jobs[0].reason.text == "Slurm says: Invalid account");
}

TEST_CASE("jobs: a key is free again after a submission that did not happen",
          "[jobs]") {
  JobFixture world;
  for (const SlurmOutcome outcome :
       {SlurmOutcome::kUnavailable, SlurmOutcome::kRefused}) {
    world.slurm_.set_outcome(outcome);
    CHECK_FALSE(world.Submit(world.ada_, "key").ok());
  }
  world.slurm_.set_outcome(SlurmOutcome::kAccepted);
  const auto job = world.Submit(world.ada_, "key");
  REQUIRE_THAT(job, IsOk());
  CHECK(world.slurm_.OnlyJob() == job->slurm_id);
}

TEST_CASE("jobs: a key is for one spec only", "[jobs]") {
  JobFixture world;
  const Job first =
      world.Submit(world.ada_, "key", {.gpus_per_node = 1}).value();
  const auto other = world.Submit(world.ada_, "key", {.gpus_per_node = 2});
  CHECK_THAT(other, StatusIs(absl::StatusCode::kAlreadyExists));
  CHECK(absl::StrContains(other.status().message(), "idempotency key"));
  CHECK(absl::StrContains(other.status().message(), first.id.value()));
  // Also after a restart, and the same request has the same answer.
  world.Restart();
  CHECK_THAT(world.Submit(world.ada_, "key", {.gpus_per_node = 2}),
             StatusIs(absl::StatusCode::kAlreadyExists));
  CHECK(world.Submit(world.ada_, "key", {.gpus_per_node = 1})->id == first.id);
  CHECK(world.slurm_.Jobs().size() == 1);
}

TEST_CASE("jobs: the same key gives the same job, of the same user only",
          "[jobs]") {
  JobFixture world;
  const Job first = world.Submit(world.ada_, "key").value();
  CHECK(world.Submit(world.ada_, "key")->id == first.id);
  CHECK(world.Submit(world.bob_, "key")->id != first.id);
  CHECK(world.Submit(world.ada_, "")->id != world.Submit(world.ada_, "")->id);
  CHECK(world.slurm_.Jobs().size() == 4);
}

TEST_CASE("jobs: a job of another user is not found", "[jobs]") {
  JobFixture world;
  const Job job = world.Submit(world.ada_).value();
  CHECK(absl::IsNotFound(world.jobs_->Get(world.bob_, job.id, "r").status()));
  CHECK(absl::IsNotFound(world.jobs_->Stop(world.bob_, job.id, "r").status()));
  CHECK(world.jobs_->List(world.bob_, "r")->empty());
  // The name alone is not the person: its account may have been given anew.
  const Session namesake = SessionOf("ada", 29999);
  CHECK(absl::IsNotFound(world.jobs_->Get(namesake, job.id, "r").status()));
  CHECK(world.jobs_->List(namesake, "r")->empty());
  CHECK(absl::IsNotFound(
      world.jobs_->Get(world.ada_, JobId("../../x"), "r").status()));
}

TEST_CASE("jobs: parallel submissions do not get past a limit", "[jobs]") {
  JobFixture world(3);
  std::vector<std::thread> threads;
  std::atomic<int> accepted = 0, refused = 0;
  for (int i = 0; i < 16; ++i) {
    threads.emplace_back([&] {
      const auto job = world.Submit(world.ada_);
      if (job.ok()) ++accepted;
      if (absl::IsResourceExhausted(job.status())) ++refused;
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(accepted == 3);
  CHECK(refused == 13);
  CHECK(world.slurm_.Jobs().size() == 3);
}

TEST_CASE("jobs: a job that was seen to end makes room at once", "[jobs]") {
  JobFixture world(1);
  for (int i = 0; i < 20; ++i) {
    const auto job = world.Submit(world.ada_);
    REQUIRE_THAT(job, IsOk());
    world.slurm_.End(job->slurm_id, SlurmState::kCompleted);
    world.slurm_.Poll();
  }
}

TEST_CASE("jobs: not submitted if the record cannot be written", "[jobs]") {
  JobFixture world;
  REQUIRE_THAT(world.database_->Query([](Database& self) -> absl::Status {
    return self.Prepare("DROP TABLE jobs")->Run();
  }),
               IsOk());
  const auto job = world.Submit(world.ada_);
  CHECK(absl::IsUnavailable(job.status()));
  CHECK(job.status().message() == "the job cannot be recorded now: try again");
  CHECK(world.slurm_.Jobs().empty());
}

TEST_CASE("jobs: a record that cannot be made durable is withdrawn", "[jobs]") {
  JobFixture world;
  BreakCommit(world.database_.get());
  const auto job = world.Submit(world.ada_);
  CHECK(job.status().message() == "the job cannot be recorded now: try again");
  CHECK(world.slurm_.Withdrawn() == 1);
  CHECK(world.slurm_.Jobs().empty());
  CHECK(world.jobs_->List(world.ada_, "request")->empty());
}

TEST_CASE("jobs: a submission fails with UNAVAILABLE while Slurm is down",
          "[jobs]") {
  JobFixture world;
  world.slurm_.set_reachable(false);
  world.slurm_.Poll();
  CHECK(absl::IsUnavailable(world.Submit(world.ada_).status()));
  CHECK(world.jobs_->List(world.ada_, "r")->empty());
}

TEST_CASE("jobs: an accepted job is pending with its Slurm id", "[jobs]") {
  JobFixture world;
  const auto job = world.Submit(world.ada_, "", {.gpus_per_node = 1});
  REQUIRE_THAT(job, IsOk());
  CHECK(job->state == v1::JOB_STATE_PENDING);
  CHECK(job->slurm_id == world.slurm_.OnlyJob());
  CHECK(job->spec.partition == "main");
  world.slurm_.Poll();
  CHECK(world.Now(job->id).reason.text == "other jobs are ahead in the queue");
}

TEST_CASE("jobs: walks through its states", "[jobs]") {
  JobFixture world;
  const Job job = world.Registered();
  CHECK(world.Now(job.id).state == v1::JOB_STATE_STARTING);
  CHECK(world.Now(job.id).nodes == std::vector<std::string>{"a1"});
  REQUIRE_THAT(world.admission_->ReportApp(job.id, kOwnAppReady), IsOk());
  CHECK(world.Now(job.id).state == v1::JOB_STATE_READY);
  world.slurm_.Poll();
  CHECK(world.Now(job.id).state == v1::JOB_STATE_READY);
  world.slurm_.End(job.slurm_id, SlurmState::kCompleting);
  world.slurm_.Poll();
  CHECK(world.Now(job.id).state == v1::JOB_STATE_STOPPING);
  world.slurm_.End(job.slurm_id, SlurmState::kFailed, 3);
  world.slurm_.Poll();
  const Job ended = world.Now(job.id);
  CHECK(ended.end == v1::JOB_END_FAILED);
  CHECK(ended.exit_code == 3);
  CHECK(ended.reason.text == "ended with exit code 3");
}

TEST_CASE("jobs: stopping cancels in Slurm as the user", "[jobs]") {
  JobFixture world;
  const Job job = world.Submit(world.ada_).value();
  const auto stopping = world.jobs_->Stop(world.ada_, job.id, "r");
  REQUIRE_THAT(stopping, IsOk());
  CHECK(stopping->state == v1::JOB_STATE_STOPPING);
  CHECK(world.slurm_.Cancelled() == std::vector<SlurmJobId>{job.slurm_id});
  world.slurm_.Poll();
  CHECK(world.Now(job.id).end == v1::JOB_END_STOPPED);
  CHECK_THAT(world.jobs_->Stop(world.ada_, job.id, "r"), IsOk());
  CHECK(world.slurm_.Cancelled().size() == 1);
}

TEST_CASE("jobs: a stop that is refused leaves the job as it was", "[jobs]") {
  JobFixture world;
  const Job job = world.Submit(world.ada_).value();
  world.slurm_.Poll();
  const Job before = world.Now(job.id);
  world.slurm_.set_outcome(SlurmOutcome::kForbidden);
  CHECK(absl::IsPermissionDenied(
      world.jobs_->Stop(world.ada_, job.id, "r").status()));
  CHECK(world.Now(job.id) == before);
  world.Restart();
  world.slurm_.set_outcome(SlurmOutcome::kAccepted);
  world.slurm_.Poll();
  CHECK(world.Now(job.id).state == v1::JOB_STATE_PENDING);
  CHECK(world.slurm_.Cancelled().empty());
}

TEST_CASE("jobs: retries a stop while Slurm is unavailable", "[jobs]") {
  JobFixture world;
  const Job waits = world.Submit(world.ada_).value();
  const Job runs = world.Registered();
  world.slurm_.set_outcome(SlurmOutcome::kUnavailable);
  for (const Job& job : {waits, runs}) {
    const auto stopping = world.jobs_->Stop(world.ada_, job.id, "r");
    REQUIRE_THAT(stopping, IsOk());
    CHECK(stopping->state == v1::JOB_STATE_STOPPING);
    CHECK(stopping->reason.text ==
          "Slurm does not respond: the job is stopped as soon as it does");
  }
  world.slurm_.set_reachable(false);
  world.slurm_.Poll();
  CHECK(world.slurm_.Cancelled().empty());
  SECTION("by this process") {}
  SECTION("by the next process") { world.Restart(); }
  CHECK(world.Now(runs.id).state == v1::JOB_STATE_STOPPING);
  CHECK_FALSE(world.Now(runs.id).reason.empty());
  world.slurm_.set_outcome(SlurmOutcome::kAccepted);
  world.slurm_.set_reachable(true);
  world.clock_.Advance(absl::Seconds(1));
  world.slurm_.Poll();
  CHECK(world.Now(runs.id).state == v1::JOB_STATE_STOPPING);
  CHECK(world.Now(runs.id).reason.empty());
  CHECK(testing::WaitFor([&] { return world.slurm_.Cancelled().size() == 2; }));
  world.slurm_.Poll();
  CHECK(world.Now(waits.id).end == v1::JOB_END_STOPPED);
  CHECK(world.Now(runs.id).end == v1::JOB_END_STOPPED);
}

TEST_CASE("jobs: a job that is stopped while it is submitted is cancelled",
          "[jobs]") {
  JobFixture world;
  world.slurm_.set_meanwhile([&] {
    const Job job = world.jobs_->List(world.ada_, "r")->at(0);
    CHECK(job.state == v1::JOB_STATE_SUBMITTING);
    CHECK_THAT(world.jobs_->Stop(world.ada_, job.id, "r"), IsOk());
  });
  const Job job = world.Submit(world.ada_).value();
  CHECK(job.state == v1::JOB_STATE_STOPPING);
  CHECK(testing::WaitFor([&] { return !world.slurm_.Cancelled().empty(); }));
  CHECK(world.slurm_.Cancelled() == std::vector<SlurmJobId>{job.slurm_id});
}

TEST_CASE("jobs: lists the live ones and the last twenty that ended",
          "[jobs]") {
  JobFixture world;
  std::vector<JobId> ids;
  for (int i = 0; i < 25; ++i) {
    world.clock_.Advance(absl::Seconds(1));
    const Job job = world.Submit(world.ada_).value();
    ids.push_back(job.id);
    if (i > 0) world.slurm_.End(job.slurm_id, SlurmState::kCompleted);
    world.slurm_.Poll();
  }
  const auto jobs = *world.jobs_->List(world.ada_, "r");
  REQUIRE(jobs.size() == 21);
  CHECK(jobs.front().id == ids.back());
  CHECK(jobs.back().id == ids.front());
  CHECK(jobs.back().state == v1::JOB_STATE_PENDING);
}

TEST_CASE("jobs: deletes old ended jobs, keeps active ones", "[jobs]") {
  JobFixture world;
  const Job active = world.Submit(world.ada_).value();
  const Job ended = world.Submit(world.ada_).value();
  world.slurm_.End(ended.slurm_id, SlurmState::kCompleted);
  world.slurm_.Poll();
  world.Restart();
  world.clock_.Advance(absl::Hours(24 * 91));
  world.jobs_->Sweep();
  const auto jobs = *world.jobs_->List(world.ada_, "r");
  REQUIRE(jobs.size() == 1);
  CHECK(jobs[0].id == active.id);
}

}  // namespace
}  // namespace carme::backend
