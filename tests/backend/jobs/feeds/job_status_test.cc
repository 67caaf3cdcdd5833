#include "backend/jobs/feeds/job_status.h"

#include <catch2/catch.hpp>

#include "tests/backend/jobs/job_fixture.h"
#include "tests/support/status_matchers.h"

namespace carme::backend {
namespace {

JobId IdOf(int number) {
  std::string id = std::to_string(number);
  return JobId(std::string(16 - id.size(), 'a') + id);
}

TEST_CASE("job status: is not reported for jobs without an app to open",
          "[jobs]") {
  Job job;
  job.state = v1::JOB_STATE_READY;
  CHECK(JobStatusOf(job));
  job.spec.batch = BatchSpec{};
  CHECK_FALSE(JobStatusOf(job));
  job.spec.batch.reset();
  job.spec.linked_to = "abcdefghijklmnop";
  CHECK_FALSE(JobStatusOf(job));
  job.spec.linked_to.clear();
  job.spec.builds = "image";
  CHECK_FALSE(JobStatusOf(job));
}

TEST_CASE("job status: only a running job has an end of its walltime",
          "[jobs]") {
  Job job;
  job.ends_at = absl::FromUnixSeconds(1'000'000);
  job.state = v1::JOB_STATE_PENDING;
  CHECK_FALSE(JobStatusOf(job)->ends_at);
  job.state = v1::JOB_STATE_READY;
  CHECK(JobStatusOf(job)->ends_at == job.ends_at);
  job.ends_at.reset();
  CHECK_FALSE(JobStatusOf(job)->ends_at);
}

TEST_CASE("job status: contains how a job ended", "[jobs]") {
  struct Row {
    JobEnd end;
    const char* reason;
    const char* said;
  };
  for (const Row& row : std::vector<Row>{
           {v1::JOB_END_STOPPED, "", "it was stopped"},
           {v1::JOB_END_STOPPED, "stopped: it was not used for 2 h",
            "stopped: it was not used for 2 h"},
           {v1::JOB_END_TIME_LIMIT, "", "it reached its walltime"},
           {v1::JOB_END_FAILED, "ended with exit code 3",
            "it failed: ended with exit code 3"},
           {v1::JOB_END_FAILED, "", "it failed"},
           {v1::JOB_END_NODE_FAIL, "node n1 failed: start it again",
            "node n1 failed: start it again"},
           {v1::JOB_END_COMPLETED, "", "its app exited"},
           {v1::JOB_END_UNKNOWN, "", "how it ended is not known"}}) {
    const Job job = Ended(Job(), row.end, row.reason, absl::UnixEpoch());
    const JobStatus status = JobStatusOf(job).value();
    CHECK(status.state == v1::JOB_STATE_ENDED);
    CHECK(status.reason == row.said);
  }
  Job job = Ended(Job(), v1::JOB_END_FAILED, std::string(900, 'x') + "\n",
                  absl::UnixEpoch());
  CHECK(JobStatusOf(job)->reason.size() == 400);
  job.reason = "exit code 1";
  job.advice = "a module is missing";
  CHECK(JobStatusOf(job)->reason ==
        "it failed: exit code 1. a module is missing");
}

TEST_CASE("job status: only changes are reported, and old ends are evicted",
          "[jobs]") {
  JobStatuses statuses;
  int reported = 0, evicted = 0;
  const auto count = [&](const JobId&, const JobStatus& status) {
    (status.state == std::nullopt ? evicted : reported) += 1;
  };
  const absl::Time now = absl::FromUnixSeconds(1'000'000);
  const JobStatus waits{.state = v1::JOB_STATE_PENDING, .reason = "why"};
  statuses.Set(IdOf(0), waits, now, count);
  statuses.Set(IdOf(0), waits, now, count);
  CHECK(reported == 1);
  const JobStatus ended{.state = v1::JOB_STATE_ENDED};
  const int max = static_cast<int>(JobStatuses::kMaxEnded);
  for (int i = 1; i <= max + 5; ++i) statuses.Set(IdOf(i), ended, now, count);
  CHECK(evicted == 5);
  CHECK(statuses.all().size() == JobStatuses::kMaxEnded + 1);
  CHECK(statuses.all().contains(IdOf(0)));
  statuses.Set(IdOf(0), ended, now + absl::Hours(25), count);
  CHECK(statuses.all().size() == 1);
  CHECK(evicted == 5 + max);
}

TEST_CASE("job status: a proxy receives it from the submission to the end",
          "[jobs]") {
  JobFixture world;
  const auto proxy = world.routes_->Subscribe([] {});
  CHECK(proxy->Drain().statuses.empty());
  const Job job = world.Submit(world.ada_).value();
  CHECK(proxy->Drain().statuses.at(job.id).state == v1::JOB_STATE_PENDING);
  world.slurm_.Run(job.slurm_id);
  world.slurm_.Poll();
  CHECK(proxy->Drain().statuses.at(job.id).state == v1::JOB_STATE_STARTING);
  REQUIRE_THAT(world.admission_->Register(job.id, {"127.0.0.1", 34000}),
               IsOk());
  REQUIRE_THAT(world.admission_->ReportApp(job.id, kOwnAppReady), IsOk());
  const RouteUpdates ready = proxy->Drain();
  CHECK(ready.routes.size() == 1);
  CHECK(ready.statuses.at(job.id).state == v1::JOB_STATE_READY);
  REQUIRE(ready.statuses.at(job.id).apps.size() == 1);
  CHECK(ready.statuses.at(job.id).apps[0].state == v1::JOB_APP_STATE_READY);
  world.slurm_.End(job.slurm_id, SlurmState::kTimeLimit);
  world.slurm_.Poll();
  // In one message, so that neither is seen without the other.
  const RouteUpdates over = proxy->Drain();
  CHECK(over.removed == std::vector<JobId>{job.id});
  CHECK(over.statuses.at(job.id).state == v1::JOB_STATE_ENDED);
  CHECK(over.statuses.at(job.id).reason.find("walltime") != std::string::npos);
  // A new proxy receives it, too.
  const RouteUpdates all = world.routes_->Subscribe([] {})->Drain();
  CHECK(all.statuses.at(job.id).state == v1::JOB_STATE_ENDED);
}

}  // namespace
}  // namespace carme::backend
