#include "backend/jobs/lifecycle/reconciler.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "absl/time/clock.h"
#include "tests/backend/jobs/job_fixture.h"
#include "tests/backend/policy/clusters.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

using SlurmOutcome = FakeSlurm::SlurmOutcome;

bool AwaitCancelled(const FakeSlurm& slurm, SlurmJobId id) {
  return testing::WaitFor(
      [&] { return slurm.Cancelled() == std::vector<SlurmJobId>{id}; });
}

TEST_CASE("reconciler: a job with another user's uid is not adopted",
          "[jobs]") {
  JobFixture world;
  world.slurm_.set_outcome(SlurmOutcome::kRequestLost);
  const Job job = world.Submit(world.ada_).value();
  world.slurm_.Put(
      SlurmJobOf(SlurmJobId(7), job.id, world.bob_.uid, SlurmState::kRunning));
  world.slurm_.Poll();
  CHECK(world.Now(job.id).state == v1::JOB_STATE_SUBMITTING);
  CHECK(world.Now(job.id).slurm_id == SlurmJobId());
  world.clock_.Advance(absl::Seconds(61));
  world.slurm_.Poll();
  CHECK(world.Now(job.id).end == v1::JOB_END_NOT_SUBMITTED);
  world.slurm_.Poll();
  CHECK(world.slurm_.Cancelled().empty());
}

TEST_CASE("reconciler: a second job with the same comment is ignored",
          "[jobs]") {
  JobFixture world;
  const Job job = world.Submit(world.ada_).value();
  world.slurm_.Put(
      SlurmJobOf(SlurmJobId(1), job.id, world.ada_.uid, SlurmState::kFailed));
  world.slurm_.Run(job.slurm_id);
  world.slurm_.Poll();
  CHECK(world.Now(job.id).slurm_id == job.slurm_id);
  CHECK(world.Now(job.id).state == v1::JOB_STATE_STARTING);
}

TEST_CASE("reconciler: adopts the first of two matching jobs", "[jobs]") {
  JobFixture world;
  world.slurm_.set_outcome(SlurmOutcome::kResponseLost);
  const Job job = world.Submit(world.ada_).value();
  const SlurmJobId first = world.slurm_.OnlyJob();
  world.slurm_.Poll();
  world.slurm_.Put(
      SlurmJobOf(SlurmJobId(1), job.id, world.ada_.uid, SlurmState::kRunning));
  world.slurm_.Poll();
  CHECK(world.Now(job.id).slurm_id == first);
  CHECK(world.Now(job.id).state == v1::JOB_STATE_PENDING);
}

TEST_CASE("reconciler: ignores a comment with an unknown job id", "[jobs]") {
  JobFixture world;
  world.slurm_.Put(SlurmJobOf(SlurmJobId(7), NewJobId(), world.ada_.uid,
                              SlurmState::kRunning));
  world.slurm_.Poll();
  world.slurm_.Poll();
  CHECK(world.slurm_.Cancelled().empty());
}

TEST_CASE("reconciler: a lost response is reconciled with Slurm", "[jobs]") {
  JobFixture world;
  world.slurm_.set_outcome(SlurmOutcome::kResponseLost);
  const auto job = world.Submit(world.ada_, "key");
  REQUIRE_THAT(job, IsOk());
  CHECK(job->state == v1::JOB_STATE_SUBMITTING);
  world.slurm_.Poll();
  CHECK(world.Now(job->id).state == v1::JOB_STATE_PENDING);
  CHECK(world.Now(job->id).slurm_id == world.slurm_.OnlyJob());
  world.slurm_.set_outcome(SlurmOutcome::kAccepted);
  CHECK(world.Submit(world.ada_, "key")->id == job->id);
  CHECK(world.slurm_.Jobs().size() == 1);
}

TEST_CASE("reconciler: a job that Slurm never had ends after a minute",
          "[jobs]") {
  JobFixture world;
  world.slurm_.set_outcome(SlurmOutcome::kRequestLost);
  const Job job = world.Submit(world.ada_, "key").value();
  world.clock_.Advance(absl::Seconds(59));
  world.slurm_.Poll();
  CHECK(world.Now(job.id).state == v1::JOB_STATE_SUBMITTING);
  world.slurm_.set_reachable(false);
  world.clock_.Advance(absl::Minutes(10));
  world.slurm_.Poll();
  CHECK(world.Now(job.id).state == v1::JOB_STATE_SUBMITTING);
  world.slurm_.set_reachable(true);
  world.slurm_.Poll();
  CHECK(world.Now(job.id).end == v1::JOB_END_NOT_SUBMITTED);
  world.slurm_.set_outcome(SlurmOutcome::kAccepted);
  CHECK(world.Submit(world.ada_, "key")->id != job.id);
}

TEST_CASE("reconciler: a poll of one job updates only that job", "[jobs]") {
  JobFixture world;
  const Job first = world.Submit(world.ada_).value();
  const Job second = world.Submit(world.ada_).value();
  world.slurm_.Run(first.slurm_id);
  world.slurm_.Run(second.slurm_id);
  world.slurm_.Poll();
  world.clock_.Advance(absl::Seconds(1));
  world.slurm_.End(first.slurm_id, SlurmState::kCancelled);
  world.slurm_.End(second.slurm_id, SlurmState::kCancelled);
  world.slurm_.PollOne(first.slurm_id);
  CHECK(world.Now(first.id).end == v1::JOB_END_STOPPED);
  CHECK(world.Now(second.id).state == v1::JOB_STATE_STARTING);
  world.slurm_.Poll();
  CHECK(world.Now(second.id).end == v1::JOB_END_STOPPED);
}

TEST_CASE("reconciler: a poll of one job does not end others", "[jobs]") {
  JobFixture world;
  const Job job = world.Submit(world.ada_).value();
  world.slurm_.Run(job.slurm_id);
  world.slurm_.Poll();
  world.slurm_.DeleteJob(job.slurm_id);
  world.clock_.Advance(absl::Minutes(5));
  world.slurm_.PollOne(job.slurm_id);
  world.slurm_.PollOne(SlurmJobId(4711));
  CHECK(world.Now(job.id).state == v1::JOB_STATE_STARTING);
  world.slurm_.Poll();
  CHECK(world.Now(job.id).end == v1::JOB_END_UNKNOWN);
}

TEST_CASE("reconciler: changes of Carme appear by a poll of that job",
          "[jobs]") {
  JobFixture world;
  const Job job = world.Submit(world.ada_).value();
  world.slurm_.Poll();
  world.clock_.Advance(absl::Seconds(1));
  REQUIRE_THAT(world.jobs_->Hold(world.ada_, job.id, "r"), IsOk());
  // A poll from before the hold has no effect.
  world.slurm_.PollAskedAt(world.clock_.Now() - absl::Milliseconds(500));
  CHECK(world.Now(job.id).held);
  world.clock_.Advance(absl::Seconds(1));
  SlurmJob released = world.slurm_.Jobs().at(0);
  released.held = false;
  released.reason = "Priority";
  world.slurm_.Put(released);
  world.slurm_.PollOne(job.slurm_id);
  CHECK_FALSE(world.Now(job.id).held);
  CHECK(world.slurm_.RefreshedJobs().back() == job.slurm_id);
}

// Slurm keeps a job that ended for five minutes.
void DeleteEndedJobsSoon(FakeSlurm& slurm) {
  SlurmSnapshot cluster = SmallCluster();
  cluster.min_job_age = absl::Minutes(5);
  slurm.set_cluster(cluster);
}

TEST_CASE(
    "reconciler: a job that Slurm may have forgotten is not \"never had\"",
    "[jobs]") {
  JobFixture world;
  DeleteEndedJobsSoon(world.slurm_);
  world.slurm_.set_outcome(SlurmOutcome::kRequestLost);
  const JobId id = world.Submit(world.ada_, "key").value().id;
  SECTION("not polled: the backend was down") {
    world.Stop();
    world.clock_.Advance(absl::Minutes(5));
    world.Start();
  }
  SECTION("not polled: Slurm did not respond") {
    world.slurm_.set_reachable(false);
    world.slurm_.Poll();
    world.clock_.Advance(absl::Minutes(5));
    world.slurm_.set_reachable(true);
  }
  world.slurm_.Poll();
  CHECK(world.Now(id).end == v1::JOB_END_UNKNOWN);
  CHECK_THAT(world.Now(id).reason.text, Catch::StartsWith("it is not known"));
  // It may have run: its key does not start it again.
  world.slurm_.set_outcome(SlurmOutcome::kAccepted);
  CHECK(world.Submit(world.ada_, "key")->id == id);
  CHECK(world.slurm_.Jobs().empty());
}

TEST_CASE("reconciler: looked for often enough, it was never there", "[jobs]") {
  JobFixture world;
  DeleteEndedJobsSoon(world.slurm_);
  world.slurm_.set_outcome(SlurmOutcome::kRequestLost);
  const JobId id = world.Submit(world.ada_, "key").value().id;
  world.Stop();
  world.clock_.Advance(absl::Minutes(5) - absl::Seconds(1));
  world.Start();
  world.slurm_.Poll();
  CHECK(world.Now(id).end == v1::JOB_END_NOT_SUBMITTED);
}

TEST_CASE("reconciler: changes made in Slurm are recorded permanently",
          "[jobs]") {
  JobFixture world;
  const Job job = world.Submit(world.ada_).value();
  SlurmJob slurm = world.slurm_.Jobs()[0];
  slurm.name = "größer\x1b[31m\xff";
  slurm.walltime = absl::Minutes(20);
  world.slurm_.Put(slurm);
  world.slurm_.Poll();
  CHECK(world.Now(job.id).spec.name == "größer?[31m?");
  CHECK(world.Now(job.id).spec.walltime == absl::Minutes(20));
  world.slurm_.End(job.slurm_id, SlurmState::kCancelled);
  world.slurm_.Poll();
  world.Restart();
  const Job ended = world.Now(job.id);
  CHECK(HasEnded(ended));
  CHECK(ended.spec.name == "größer?[31m?");
  CHECK(ended.spec.walltime == absl::Minutes(20));
}

TEST_CASE("reconciler: waits for a slow submission", "[jobs]") {
  JobFixture world;
  world.slurm_.set_meanwhile([&] {
    const Job job = world.jobs_->List(world.ada_, "r")->at(0);
    world.slurm_.DeleteJob(world.slurm_.OnlyJob());
    world.clock_.Advance(absl::Minutes(2));
    world.slurm_.Poll();
    CHECK(world.Now(job.id).state == v1::JOB_STATE_SUBMITTING);
  });
  CHECK_THAT(world.Submit(world.ada_), IsOk());
}

TEST_CASE("reconciler: a job that appears after its record ended is cancelled",
          "[jobs]") {
  JobFixture world;
  world.slurm_.set_outcome(SlurmOutcome::kRequestLost);
  const Job job = world.Submit(world.ada_).value();
  world.clock_.Advance(absl::Seconds(61));
  world.slurm_.Poll();
  REQUIRE(world.Now(job.id).end == v1::JOB_END_NOT_SUBMITTED);
  world.slurm_.Put(
      SlurmJobOf(SlurmJobId(7), job.id, world.ada_.uid, SlurmState::kPending));
  world.clock_.Advance(absl::Seconds(1));
  // Its end reaches the table soon; then it is seen to be an orphan.
  CHECK(testing::WaitFor([&] {
    world.slurm_.Poll();
    return !world.slurm_.Cancelled().empty();
  }));
  CHECK(AwaitCancelled(world.slurm_, SlurmJobId(7)));
  CHECK(world.Now(job.id).end == v1::JOB_END_NOT_SUBMITTED);
}

TEST_CASE("reconciler: a stop before the id is known cancels when found",
          "[jobs]") {
  JobFixture world;
  world.slurm_.set_outcome(SlurmOutcome::kResponseLost);
  const Job job = world.Submit(world.ada_).value();
  REQUIRE_THAT(world.jobs_->Stop(world.ada_, job.id, "r"), IsOk());
  CHECK(world.slurm_.Cancelled().empty());
  world.Restart();  // the mark is in the table
  world.slurm_.set_outcome(SlurmOutcome::kAccepted);
  world.slurm_.Poll();
  CHECK(AwaitCancelled(world.slurm_, world.slurm_.OnlyJob()));
  world.slurm_.Poll();
  CHECK(world.Now(job.id).end == v1::JOB_END_STOPPED);
}

TEST_CASE("reconciler: changes no job while Slurm is unavailable", "[jobs]") {
  JobFixture world;
  const Job job = world.Registered();
  world.slurm_.set_reachable(false);
  world.clock_.Advance(absl::Hours(2));
  world.slurm_.Poll();
  CHECK(world.Now(job.id).state == v1::JOB_STATE_STARTING);
}

TEST_CASE("reconciler: a job that Slurm forgot has an unknown end", "[jobs]") {
  JobFixture world;
  const absl::Time before = world.clock_.Now();
  const Job job = world.Submit(world.ada_).value();
  world.slurm_.DeleteJob(job.slurm_id);
  world.clock_.Advance(absl::Minutes(1));
  world.slurm_.PollAskedAt(before);  // older than the submission
  CHECK(world.Now(job.id).state == v1::JOB_STATE_PENDING);
  world.slurm_.Poll();
  CHECK(world.Now(job.id).end == v1::JOB_END_UNKNOWN);
}

TEST_CASE("reconciler: a reused Slurm id is another job", "[jobs]") {
  JobFixture world;
  const Job job = world.Submit(world.ada_).value();
  SlurmJob other = SlurmJobOf(job.slurm_id, NewJobId(), world.ada_.uid,
                              SlurmState::kRunning);
  world.slurm_.Poll();
  other.submitted = world.clock_.Now() + absl::Seconds(30);
  world.slurm_.Put(other);
  world.clock_.Advance(absl::Minutes(1));
  world.slurm_.Poll();
  CHECK(world.Now(job.id).end == v1::JOB_END_UNKNOWN);
  CHECK(world.slurm_.Cancelled().empty());
}

TEST_CASE("reconciler: a job that Slurm queued again starts anew", "[jobs]") {
  JobFixture world;
  const Job job = world.Registered();
  REQUIRE_THAT(world.admission_->ReportApp(job.id, kOwnAppReady), IsOk());
  world.slurm_.Put(
      SlurmJobOf(job.slurm_id, job.id, world.ada_.uid, SlurmState::kPending));
  world.slurm_.Poll();
  const Job again = world.Now(job.id);
  CHECK(again.state == v1::JOB_STATE_PENDING);
  CHECK(again.agent.port == 0);
  CHECK_FALSE(again.ready_at);
}

TEST_CASE("reconciler: ready and its route are kept over a restart", "[jobs]") {
  JobFixture world;
  const Job job = world.Registered();
  REQUIRE_THAT(world.admission_->ReportApp(job.id, kOwnAppReady), IsOk());
  world.Restart();
  const auto routes = world.routes_->Subscribe([] {});
  const RouteUpdates news = routes->Drain();
  REQUIRE(news.routes.size() == 1);
  CHECK(news.routes[0].second == AgentEndpoint{"127.0.0.1", 34000});
  world.slurm_.Poll();
  CHECK(world.Now(job.id).state == v1::JOB_STATE_READY);
  world.slurm_.End(job.slurm_id, SlurmState::kTimeLimit);
  world.slurm_.Poll();
  CHECK(routes->Drain().removed == std::vector<JobId>{job.id});
  CHECK(world.Now(job.id).end == v1::JOB_END_TIME_LIMIT);
}

TEST_CASE("reconciler: an end is found after a restart", "[jobs]") {
  JobFixture world;
  const Job job = world.Registered();
  world.Stop();
  world.slurm_.End(job.slurm_id, SlurmState::kOutOfMemory, 137);
  world.Start();
  world.slurm_.Poll();
  CHECK(world.Now(job.id).end == v1::JOB_END_OUT_OF_MEMORY);
}

}  // namespace
}  // namespace carme::backend
