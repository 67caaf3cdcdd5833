#include "backend/jobs/agents/agent_admission.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <thread>
#include <vector>

#include "backend/jobs/model/node_address.h"
#include "tests/backend/jobs/job_fixture.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

using SlurmOutcome = FakeSlurm::SlurmOutcome;

AgentClaim ClaimFor(const Job& job, uint32_t uid = 20001) {
  return {
      .slurm_job = job.slurm_id, .uid = Uid(uid), .peer_address = "127.0.0.1"};
}

TEST_CASE("agent admission: refuses claims of other jobs", "[jobs]") {
  JobFixture world;
  const Job job = world.Registered();
  const AgentClaim good = ClaimFor(job);
  AgentClaim other_uid = good, other_host = good, other_job = good;
  other_uid.uid = world.bob_.uid;
  other_host.peer_address = "10.1.2.3";
  other_job.slurm_job = SlurmJobId(999);
  world.slurm_.set_prompt(true);
  for (const AgentClaim& claim : {other_uid, other_host}) {
    CHECK(absl::IsPermissionDenied(world.admission_->Admit(claim).status()));
  }
  CHECK_THAT(world.admission_->Admit(good), IsOk());
  world.slurm_.set_meanwhile(nullptr);
  // A look that is newer than the claim is needed to say that it is not there.
  std::atomic<bool> answered = false;
  std::thread looks([&] {
    while (!answered) {
      absl::SleepFor(absl::Milliseconds(20));
      world.clock_.Advance(absl::Seconds(1));
      world.slurm_.Poll();
    }
  });
  CHECK(absl::IsPermissionDenied(world.admission_->Admit(other_job).status()));
  answered = true;
  looks.join();
}

TEST_CASE("agent admission: an error is indeterminate", "[jobs]") {
  JobFixture world;
  const Job job = world.Registered();
  world.slurm_.set_reachable(false);
  world.slurm_.Poll();
  CHECK(absl::IsUnavailable(world.admission_->Admit(ClaimFor(job)).status()));
}

TEST_CASE("agent admission: the claims of one uid do not occupy all threads",
          "[jobs]") {
  JobFixture world;
  // However long the threads take to start: no wait ends before the poll.
  AgentAdmission admission({.active = &world.jobs_->active(),
                            .scheduler = &world.slurm_,
                            .polls = &world.jobs_->polls(),
                            .clock = &world.clock_,
                            .poll_timeout = testing::kWaitTimeout * 2});
  const AgentClaim claim{.slurm_job = SlurmJobId(999),
                         .uid = world.bob_.uid,
                         .peer_address = "127.0.0.1"};
  std::atomic<int> answered = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < 12; ++i) {
    threads.emplace_back([&] {
      if (!admission.Admit(claim).ok()) ++answered;
    });
  }
  CHECK(testing::WaitFor([&] { return answered >= 8; }));
  CHECK(answered == 8);  // the other four wait for a look at Slurm
  world.clock_.Advance(absl::Seconds(1));
  world.slurm_.Poll();
  for (std::thread& thread : threads) thread.join();
}

TEST_CASE("agent admission: a job of someone else's record is refused",
          "[jobs]") {
  JobFixture world;
  const Job job = world.Submit(world.ada_).value();
  // Bob runs a job of his own and writes Ada's id into its comment.
  world.slurm_.Put(
      SlurmJobOf(SlurmJobId(7), job.id, world.bob_.uid, SlurmState::kRunning));
  world.slurm_.Poll();
  const AgentClaim claim{.slurm_job = SlurmJobId(7),
                         .uid = world.bob_.uid,
                         .peer_address = "127.0.0.1"};
  CHECK(absl::IsPermissionDenied(world.admission_->Admit(claim).status()));
}

TEST_CASE("agent admission: a second Slurm job of the user is refused",
          "[jobs]") {
  JobFixture world;
  const Job job = world.Registered();
  world.slurm_.Put(SlurmJobOf(SlurmJobId(700), job.id, world.ada_.uid,
                              SlurmState::kRunning));
  world.slurm_.Poll();
  AgentClaim claim = ClaimFor(job);
  claim.slurm_job = SlurmJobId(700);
  CHECK(absl::IsPermissionDenied(world.admission_->Admit(claim).status()));
}

TEST_CASE(
    "agent admission: an agent may register before its submission returns",
    "[jobs]") {
  JobFixture world;
  JobId id;
  world.slurm_.set_meanwhile([&] {
    const SlurmJobId slurm_id = world.slurm_.OnlyJob();
    id = world.jobs_->List(world.ada_, "r")->at(0).id;
    world.slurm_.Run(slurm_id);
    world.slurm_.set_prompt(true);
    const auto admitted =
        world.admission_->Admit({.slurm_job = slurm_id,
                                 .uid = world.ada_.uid,
                                 .peer_address = "127.0.0.1"});
    REQUIRE_THAT(admitted, IsOk());
    CHECK(admitted->slurm_id == slurm_id);
    REQUIRE_THAT(world.admission_->Register(id, {"127.0.0.1", 34001}), IsOk());
  });
  const auto job = world.Submit(world.ada_);
  REQUIRE_THAT(job, IsOk());
  CHECK(job->state == v1::JOB_STATE_STARTING);
  CHECK(job->agent.port == 34001);
  CHECK(world.slurm_.Jobs().size() == 1);
}

TEST_CASE("agent admission: ready without registration is refused", "[jobs]") {
  JobFixture world;
  const Job job = world.Submit(world.ada_).value();
  CHECK_THAT(world.admission_->ReportApp(job.id, kOwnAppReady),
             StatusIs(absl::StatusCode::kFailedPrecondition));
}

TEST_CASE("agent admission: a new agent's app is not ready yet", "[jobs]") {
  JobFixture world;
  const Job job = world.Registered();
  REQUIRE_THAT(world.admission_->ReportApp(job.id, kOwnAppReady), IsOk());
  const auto again = world.admission_->Register(job.id, {"127.0.0.1", 34002});
  CHECK(again->state == v1::JOB_STATE_STARTING);
  CHECK_FALSE(again->ready_at);
}

TEST_CASE("agent admission: the end of the app is the job's reason", "[jobs]") {
  JobFixture world;
  const Job job = world.Registered();
  REQUIRE_THAT(world.admission_->ReportEnded(job.id, "app:\nno such file"),
               IsOk());
  CHECK(world.Now(job.id).state == v1::JOB_STATE_STOPPING);
  CHECK(world.Now(job.id).reason.text == "app:?no such file");
  CHECK(absl::IsPermissionDenied(
      world.admission_->Admit(ClaimFor(job)).status()));
  world.slurm_.End(job.slurm_id, SlurmState::kFailed, 127);
  world.slurm_.Poll();
  CHECK(world.Now(job.id).reason.text == "app:?no such file");
}

TEST_CASE("agent admission: an invalid code of a detail is dropped", "[jobs]") {
  JobFixture world;
  const Job job = world.Registered();
  DisplayText detail = "the disk is full";
  detail.code = "<script>";
  REQUIRE_THAT(world.admission_->ReportApp(
                   job.id, {job.spec.app, v1::JOB_APP_STATE_FAILED, detail}),
               IsOk());
  CHECK(world.Now(job.id).apps.at(0).detail == DisplayText(detail.text));
  REQUIRE_THAT(world.admission_->ReportEnded(job.id, detail), IsOk());
  CHECK(world.Now(job.id).reason == DisplayText(detail.text));
}

TEST_CASE("agent admission: queries Slurm for the claimed job", "[jobs]") {
  JobFixture world;
  const Job job = world.Submit(world.ada_).value();
  world.slurm_.Poll();
  // It began since, and nothing but this job is asked for.
  world.slurm_.Run(job.slurm_id);
  AgentAdmission hasty({.active = &world.jobs_->active(),
                        .scheduler = &world.slurm_,
                        .polls = &world.jobs_->polls(),
                        .clock = &world.clock_,
                        .poll_timeout = absl::Milliseconds(1)});
  CHECK(absl::IsUnavailable(hasty.Admit(ClaimFor(job)).status()));
  CHECK(world.slurm_.RefreshedJobs().back() == job.slurm_id);
  std::atomic<bool> answered = false;
  std::thread looks([&] {
    while (!answered) {
      absl::SleepFor(absl::Milliseconds(20));
      world.clock_.Advance(absl::Milliseconds(20));
      world.slurm_.PollOne(SlurmJobId(999));
      world.slurm_.PollOne(job.slurm_id);
    }
  });
  AgentClaim unknown = ClaimFor(job);
  unknown.slurm_job = SlurmJobId(999);
  CHECK_THAT(world.admission_->Admit(ClaimFor(job)), IsOk());
  CHECK(absl::IsPermissionDenied(world.admission_->Admit(unknown).status()));
  answered = true;
  looks.join();
}

TEST_CASE("agent admission: polls Slurm for the job of a running Prolog",
          "[jobs]") {
  JobFixture world;
  const Job job = world.Submit(world.ada_).value();
  world.slurm_.Poll();
  world.slurm_.Run(job.slurm_id);
  AgentAdmission hasty({.active = &world.jobs_->active(),
                        .scheduler = &world.slurm_,
                        .polls = &world.jobs_->polls(),
                        .clock = &world.clock_,
                        .poll_timeout = absl::Milliseconds(1)});
  const size_t refreshed = world.slurm_.RefreshedJobs().size();
  CHECK_FALSE(hasty.JobOnNode(job.slurm_id, "a1", false));
  CHECK(world.slurm_.RefreshedJobs().size() == refreshed);
  world.slurm_.set_prompt(true);
  const std::optional<Job> found = hasty.JobOnNode(job.slurm_id, "a1", true);
  REQUIRE(found);
  CHECK(found->id == job.id);
  CHECK_FALSE(hasty.JobOnNode(job.slurm_id, "a2", true));
  CHECK_FALSE(hasty.JobOnNode(SlurmJobId(999), "a1", true));
}

TEST_CASE("agent admission: polls a job whose agent ended", "[jobs]") {
  JobFixture world;
  const Job job = world.Registered();
  CHECK(world.slurm_.Followed().empty());
  SECTION("it says so") {
    REQUIRE_THAT(world.admission_->ReportEnded(job.id, "over"), IsOk());
  }
  SECTION("it speaks while Slurm is ending the job") {
    world.slurm_.End(job.slurm_id, SlurmState::kCompleting);
    world.slurm_.Poll();
    AgentAdmission hasty({.active = &world.jobs_->active(),
                          .scheduler = &world.slurm_,
                          .polls = &world.jobs_->polls(),
                          .clock = &world.clock_,
                          .poll_timeout = absl::Milliseconds(1)});
    CHECK_FALSE(hasty.Admit(ClaimFor(job)).ok());
  }
  SECTION("it is gone without a word") { world.admission_->Left(job.id); }
  SECTION("its user stops it") {
    REQUIRE_THAT(world.jobs_->Stop(world.ada_, job.id, "r"), IsOk());
  }
  CHECK(world.slurm_.Followed() == std::vector<SlurmJobId>{job.slurm_id});
}

TEST_CASE("agent admission: an agent that leaves after the end causes no poll",
          "[jobs]") {
  JobFixture world;
  const Job job = world.Registered();
  world.slurm_.End(job.slurm_id, SlurmState::kCompleted);
  world.slurm_.Poll();
  world.admission_->Left(job.id);
  world.admission_->Left(NewJobId());
  CHECK(world.slurm_.Followed().empty());
}

TEST_CASE("node address: compares addresses, not texts", "[jobs]") {
  CHECK(*IsAddressOf("::ffff:10.0.0.1", "10.0.0.1"));
  CHECK(*IsAddressOf("fd00:0:0::1", "fd00::1"));
  CHECK(*IsAddressOf("127.0.0.1", "localhost"));
  CHECK_FALSE(*IsAddressOf("10.0.0.1", "10.0.0.10"));
  CHECK_FALSE(*IsAddressOf("", "10.0.0.1"));
  CHECK(absl::IsUnavailable(
      IsAddressOf("10.0.0.1", "no-such-host.invalid").status()));
}

}  // namespace
}  // namespace carme::backend
