#include "backend/jobs/activity/idle_policy.h"

#include <catch2/catch.hpp>

#include "backend/notifications/inbox.h"
#include "tests/backend/jobs/job_fixture.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

constexpr IdleTimes kTimes{absl::Minutes(60), absl::Minutes(30)};

IdleStep Say(int minutes, IdleState* state) {
  return ApplyReport(kTimes, absl::Minutes(minutes), state);
}

TEST_CASE("idle: no warnings without configured times", "[jobs]") {
  IdleState state;
  for (const IdleTimes& none : {IdleTimes{}, IdleTimes{{}, absl::Minutes(1)}}) {
    CHECK(ApplyReport(none, absl::Hours(1000), &state) == IdleStep::kNone);
    CHECK(ApplyReport(none, absl::Hours(2000), &state) == IdleStep::kNone);
  }
}

TEST_CASE("idle: never stops a job without a warning", "[jobs]") {
  IdleState state;
  // The first that is heard, after a backend was away for a day.
  CHECK(Say(24 * 60, &state) == IdleStep::kWarn);
  CHECK(Say(24 * 60 + 29, &state) == IdleStep::kNone);
  CHECK(Say(24 * 60 + 30, &state) == IdleStep::kStop);
}

TEST_CASE("idle: a warning without a stop time stops no job", "[jobs]") {
  IdleState state;
  const IdleTimes only{absl::Minutes(60), {}};
  CHECK(ApplyReport(only, absl::Minutes(60), &state) == IdleStep::kWarn);
  CHECK(ApplyReport(only, absl::Hours(100), &state) == IdleStep::kNone);
}

TEST_CASE("idle: use after the warning begins it anew", "[jobs]") {
  IdleState state;
  CHECK(Say(59, &state) == IdleStep::kNone);
  CHECK(Say(60, &state) == IdleStep::kWarn);
  CHECK(Say(1, &state) == IdleStep::kNone);
  CHECK(Say(59, &state) == IdleStep::kNone);
  CHECK(Say(61, &state) == IdleStep::kWarn);
  CHECK(Say(90, &state) == IdleStep::kNone);
  CHECK(Say(91, &state) == IdleStep::kStop);
}

TEST_CASE("idle: time before a reset does not count", "[jobs]") {
  IdleState state;
  CHECK(Say(60, &state) == IdleStep::kWarn);
  ResetIdleTimer(&state);
  CHECK(Say(119, &state) == IdleStep::kNone);
  CHECK(Say(120, &state) == IdleStep::kWarn);
  CHECK(Say(149, &state) == IdleStep::kNone);
  CHECK(Say(5, &state) == IdleStep::kNone);
  CHECK(Say(60, &state) == IdleStep::kWarn);
}

TEST_CASE("idle: a template's times replace the site's", "[jobs]") {
  JobTemplate quick;
  CHECK(IdleTimesOf(kTimes, std::nullopt).warning == kTimes.warning);
  CHECK(IdleTimesOf(kTimes, quick).warning == kTimes.warning);
  quick.idle_warning = absl::Minutes(5);
  CHECK(IdleTimesOf(kTimes, quick).warning == absl::Minutes(5));
  CHECK(IdleTimesOf(kTimes, quick).stop == absl::ZeroDuration());
}

// A job of Ada's that is ready, on a site with these times.
struct IdleWorld : JobFixture {
  IdleWorld() {
    config_.life.idle_warning = absl::Minutes(60);
    config_.life.idle_stop = absl::Minutes(30);
    Restart();
  }
  Job Ready() {
    const Job job = Registered();
    REQUIRE_THAT(admission_->ReportApp(job.id, kOwnAppReady), IsOk());
    return Now(job.id);
  }
  void Say(const JobId& id, int minutes) {
    jobs_->idle().OnAgentActivity(id, {.unused = absl::Minutes(minutes)});
  }
  std::vector<InboxEvent> Notified() {
    std::vector<InboxEvent> notices =
        Inbox(database_.get(), &clock_).List(ada_.uid, 0, 50).value().events;
    std::erase_if(notices, [](const InboxEvent& event) {
      return event.kind != v1::NOTIFICATION_KIND_JOB_IDLE;
    });
    return notices;
  }
};

TEST_CASE("idle: a job that does not run, or no person starts, is not judged",
          "[jobs]") {
  IdleWorld world;
  const Job waits = world.Submit(world.ada_).value();
  world.Say(waits.id, 1000);
  world.slurm_.Run(waits.slurm_id);
  world.slurm_.Poll();
  world.Say(waits.id, 1000);  // its app does not answer yet
  CHECK_FALSE(world.Now(waits.id).idle);
  Job ready;
  ready.state = v1::JOB_STATE_READY;
  CHECK(IsJudgedByUse(ready));
  ready.spec.batch = BatchSpec{};
  CHECK_FALSE(IsJudgedByUse(ready));
  ready.spec.batch.reset();
  ready.spec.linked_to = "abcdefghijklmnop";
  CHECK_FALSE(IsJudgedByUse(ready));
  CHECK(world.Notified().empty());
}

TEST_CASE("idle: warns about an unused job, then stops it", "[jobs]") {
  IdleWorld world;
  const Job job = world.Ready();
  world.Say(job.id, 59);
  CHECK_FALSE(world.Now(job.id).idle);
  CHECK(world.Notified().empty());
  world.Say(job.id, 60);
  REQUIRE(world.Now(job.id).idle);
  CHECK(world.Now(job.id).idle->since ==
        world.clock_.Now() - absl::Minutes(60));
  CHECK(world.Now(job.id).idle->stops_at ==
        world.clock_.Now() + absl::Minutes(30));
  REQUIRE(world.Notified().size() == 1);
  CHECK(world.Notified()[0].text.text ==
        "Job \"jupyter\" has not been used for 1 h. It is stopped in 30 min "
        "unless you use it or select Keep.");
  world.Say(job.id, 89);
  CHECK(world.Now(job.id).state == v1::JOB_STATE_READY);
  world.Say(job.id, 90);
  CHECK(world.Now(job.id).state == v1::JOB_STATE_STOPPING);
  REQUIRE(testing::WaitFor([&] { return !world.slurm_.Cancelled().empty(); }));
  world.slurm_.Poll();
  CHECK(world.Now(job.id).end == v1::JOB_END_STOPPED);
  CHECK(world.Now(job.id).reason.text ==
        "stopped: it was not used for 1 h 30 min");
  REQUIRE(world.Notified().size() == 2);
  CHECK(world.Notified()[0].text.text ==
        "Job \"jupyter\" was stopped: it was not used for 1 h 30 min.");
}

TEST_CASE("idle: ignores a job with an unknown template", "[jobs]") {
  IdleWorld world;
  const auto made = world.templates_->Create({.name = "Patient",
                                              .idle_warning = absl::Hours(20),
                                              .idle_stop = absl::Hours(1)});
  REQUIRE_THAT(made, IsOk());
  REQUIRE_THAT(world.templates_->Attach(made->job_template.id, "", true),
               IsOk());
  const Job job = world.Ready();
  REQUIRE(job.spec.job_template == made->job_template.id);
  world.template_lookup_.error = absl::InternalError("disk");
  world.Say(job.id, 60);
  world.Say(job.id, 1100);
  CHECK_FALSE(world.Now(job.id).idle);
  CHECK(world.Now(job.id).state == v1::JOB_STATE_READY);
  CHECK(world.Notified().empty());
}

TEST_CASE("idle: only the user can reset the idle timer", "[jobs]") {
  IdleWorld world;
  const Job job = world.Ready();
  world.Say(job.id, 60);
  CHECK(absl::IsNotFound(
      world.jobs_->KeepAlive(world.bob_, job.id, "r").status()));
  CHECK(world.Now(job.id).idle);
  CHECK_FALSE(world.jobs_->KeepAlive(world.ada_, job.id, "r")->idle);
  world.Say(job.id, 119);
  CHECK_FALSE(world.Now(job.id).idle);
  CHECK(world.Now(job.id).state == v1::JOB_STATE_READY);
  world.slurm_.End(job.slurm_id, SlurmState::kCompleted);
  world.slurm_.Poll();
  CHECK(absl::IsFailedPrecondition(
      world.jobs_->KeepAlive(world.ada_, job.id, "r").status()));
}

TEST_CASE("idle: a clock change or a restart stops no job", "[jobs]") {
  IdleWorld world;
  const Job job = world.Ready();
  world.Say(job.id, 60);
  world.clock_.Advance(absl::Hours(48));
  world.slurm_.Poll();  // what is not seen is not idle
  CHECK_FALSE(world.Now(job.id).idle);
  CHECK(world.Now(job.id).state == v1::JOB_STATE_READY);
  world.Say(job.id, 200);
  CHECK(world.Now(job.id).state == v1::JOB_STATE_READY);
  world.Restart();
  world.slurm_.Poll();
  world.Say(job.id, 300);
  CHECK(world.Now(job.id).state == v1::JOB_STATE_READY);
  CHECK(world.Now(job.id).idle);
}

TEST_CASE("idle: no idle notification for a job that its user stops",
          "[jobs]") {
  IdleWorld world;
  const Job job = world.Ready();
  world.Say(job.id, 60);
  REQUIRE_THAT(world.jobs_->Stop(world.ada_, job.id, "r"), IsOk());
  world.slurm_.Poll();
  CHECK(world.Now(job.id).end == v1::JOB_END_STOPPED);
  CHECK(world.Now(job.id).reason.empty());
}

}  // namespace
}  // namespace carme::backend
