// The use of jobs as proxies and agents report it.
#include "backend/jobs/activity/job_activity.h"

#include <catch2/catch.hpp>

#include "tests/backend/jobs/job_fixture.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

const absl::Time kNow = absl::FromUnixSeconds(1'000'000);

TEST_CASE("job activity: adds the reports of two proxies once", "[jobs]") {
  ActivityState state;
  const ProxyActivity old{
      .connections = 2, .received_bytes = 10, .sent_bytes = 100};
  ApplyProxyActivity("old", old, kNow, &state);
  ApplyProxyActivity("old", old, kNow, &state);  // it comes twice
  ApplyProxyActivity("new", {.connections = 1, .received_bytes = 1}, kNow,
                     &state);
  const JobInUse shown = *ShowActivity({}, kNow, &state);
  CHECK(shown.connections == 3);
  CHECK(shown.received_bytes == 11);
  CHECK(shown.sent_bytes == 100);
  CHECK_FALSE(shown.last_input);
  // One that comes late takes nothing back.
  ApplyProxyActivity("old", {.connections = 1, .received_bytes = 9}, kNow,
                     &state);
  CHECK(ShowActivity({}, kNow, &state)->received_bytes == 11);
}

TEST_CASE("job activity: a stopped proxy has no connections, its bytes count",
          "[jobs]") {
  ActivityState state;
  ApplyProxyActivity("old", {.connections = 2, .sent_bytes = 100}, kNow,
                     &state);
  const auto shown = ShowActivity({}, kNow, &state);
  const absl::Time later = kNow + absl::Minutes(5);
  CHECK(ShowActivity(shown, later, &state)->connections == 0);
  CHECK(ShowActivity(shown, later, &state)->sent_bytes == 100);
  for (int i = 0; i < 50; ++i) {
    ApplyProxyActivity("proxy" + std::to_string(i), {.sent_bytes = 1}, later,
                       &state);
  }
  CHECK(state.proxies.size() == ActivityState::kMaxProxies);
  CHECK(ShowActivity({}, later, &state)->sent_bytes == 150);
}

TEST_CASE("job activity: bytes alone are shown once a minute", "[jobs]") {
  ActivityState state;
  ApplyProxyActivity("p", {.connections = 1, .sent_bytes = 1}, kNow, &state);
  const auto shown = ShowActivity({}, kNow, &state);
  ApplyProxyActivity("p", {.connections = 1, .sent_bytes = 2}, kNow, &state);
  CHECK(ShowActivity(shown, kNow + absl::Seconds(10), &state) == shown);
  ApplyProxyActivity("p", {.connections = 2, .sent_bytes = 2}, kNow, &state);
  CHECK(ShowActivity(shown, kNow + absl::Seconds(20), &state)->sent_bytes == 2);
}

TEST_CASE("job activity: an input that is reported again is not a new one",
          "[jobs]") {
  ActivityState state;
  const auto is_new = [&](int ago_s, int at_s) {
    const auto before = state.last_input;
    const absl::Time at = kNow + absl::Seconds(at_s);
    ApplyInput(absl::Seconds(ago_s), at, &state);
    return state.last_input == at - absl::Seconds(ago_s) &&
           state.last_input != before;
  };
  CHECK(is_new(3, 0));
  CHECK_FALSE(is_new(13, 10));
  CHECK_FALSE(is_new(72, 70));  // rounded to whole seconds
  CHECK(is_new(1, 80));
  // After a clock that was ahead, later inputs still count.
  CHECK(is_new(0, 100'000));
  ApplyInput(absl::ZeroDuration(), kNow + absl::Seconds(100), &state);
  CHECK(state.last_input == kNow + absl::Seconds(100));
  CHECK(is_new(0, 200));
}

// A job of Ada's that is ready, on a site that stops unused jobs.
struct ActivityWorld : JobFixture {
  ActivityWorld() {
    config_.life.idle_warning = absl::Minutes(60);
    config_.life.idle_stop = absl::Minutes(30);
    Restart();
    job = Registered();
    REQUIRE_THAT(admission_->ReportApp(job.id, kOwnAppReady), IsOk());
  }
  // Both at once, in minutes of no use.
  void AgentReports(int minutes) {
    jobs_->idle().OnAgentActivity(job.id, {.unused = absl::Minutes(minutes)});
  }
  // The agent has observed input of a person.
  void ReportInput(absl::Duration ago) {
    jobs_->idle().OnAgentActivity(job.id, {.unused = ago, .input = ago});
  }
  void ProxyReports(const ProxyActivity& saw) {
    jobs_->idle().OnProxyActivity(job.id, "proxy", saw);
  }
  Job Now() { return JobFixture::Now(job.id); }
  void Pass(int minutes) { clock_.Advance(absl::Minutes(minutes)); }
  Job job;
};

TEST_CASE("job activity: a background tab is not use", "[jobs]") {
  ActivityWorld world;
  // Polled and pinged all the time.
  world.ProxyReports({.connections = 3, .received_bytes = 1, .sent_bytes = 1});
  world.AgentReports(60);
  REQUIRE(world.Now().idle);
  CHECK(world.Now().in_use->connections == 3);
  world.ProxyReports(
      {.connections = 3, .received_bytes = 5'000'000, .sent_bytes = 9'000'000});
  CHECK(world.Now().idle);
  world.AgentReports(90);
  CHECK(world.Now().state == v1::JOB_STATE_STOPPING);
}

TEST_CASE("job activity: a person's input keeps a job, at once", "[jobs]") {
  ActivityWorld world;
  world.AgentReports(60);
  REQUIRE(world.Now().idle);
  world.ProxyReports({.connections = 1});
  world.Pass(29);
  world.ReportInput(absl::Seconds(2));
  CHECK_FALSE(world.Now().idle);
  CHECK(world.Now().in_use->last_input ==
        world.clock_.Now() - absl::Seconds(2));
  world.Pass(1);
  world.ReportInput(absl::Seconds(62));
  CHECK(world.Now().state == v1::JOB_STATE_READY);
  CHECK_FALSE(world.Now().idle);
  // The idle time starts again with the input.
  world.Pass(59);
  world.ReportInput(absl::Minutes(60));
  CHECK(world.Now().idle);
  // The same input again.
  world.ReportInput(absl::Minutes(60));
  CHECK(world.Now().idle);
  world.Pass(30);
  world.ReportInput(absl::Minutes(90));
  CHECK(world.Now().state == v1::JOB_STATE_STOPPING);
}

TEST_CASE("job activity: no report of a proxy makes a job idle", "[jobs]") {
  ActivityWorld world;
  world.AgentReports(1);
  world.ProxyReports({.connections = 1});
  world.Pass(1);
  world.ProxyReports({});
  world.AgentReports(2);
  CHECK_FALSE(world.Now().idle);
  CHECK(world.Now().state == v1::JOB_STATE_READY);
  // Nor does a clock that jumps.
  world.clock_.Advance(absl::Hours(48));
  world.AgentReports(3);
  CHECK_FALSE(world.Now().idle);
}

TEST_CASE("job activity: ignored for a job that is not running", "[jobs]") {
  ActivityWorld world;
  const Job waits = world.Submit(world.bob_).value();
  world.jobs_->idle().OnProxyActivity(waits.id, "proxy", {.connections = 9});
  world.jobs_->idle().OnProxyActivity(JobId("zzzzzzzzzzzzzzzz"), "proxy",
                                      {.connections = 9});
  CHECK_FALSE(world.JobFixture::Now(waits.id).in_use);
  world.ProxyReports({.connections = 2});
  CHECK(world.Now().in_use);
  world.slurm_.End(world.job.slurm_id, SlurmState::kCompleted);
  world.slurm_.Poll();
  CHECK_FALSE(world.Now().in_use);
}

TEST_CASE("job activity: connections of a terminated proxy expire", "[jobs]") {
  ActivityWorld world;
  world.ProxyReports({.connections = 2});
  world.Pass(5);
  world.slurm_.Poll();
  CHECK(world.Now().in_use->connections == 0);
}

}  // namespace
}  // namespace carme::backend
