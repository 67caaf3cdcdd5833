// What the proxy is told of jobs that cannot answer.
#include "backend/jobs/feeds/job_status.h"

#include <catch2/catch.hpp>

#include "tests/backend/jobs/job_world.h"

namespace carme::backend {
namespace {

JobId IdOf(int number) {
  std::string id = std::to_string(number);
  return JobId(std::string(16 - id.size(), 'a') + id);
}

TEST_CASE("standing: of what nobody opens nothing is said", "[jobs]") {
  Job job;
  job.state = JobState::kReady;
  CHECK(JobStatusOf(job));
  job.spec.batch = BatchSpec{};
  CHECK_FALSE(JobStatusOf(job));
  job.spec.batch.reset();
  job.spec.companion_of = "abcdefghijklmnop";
  CHECK_FALSE(JobStatusOf(job));
  job.spec.companion_of.clear();
  job.spec.builds = "image";
  CHECK_FALSE(JobStatusOf(job));
}

TEST_CASE("standing: says how a job ended, in words", "[jobs]") {
  struct Row {
    JobEnd end;
    const char* reason;
    const char* said;
  };
  for (const Row& row : std::vector<Row>{
           {JobEnd::kStopped, "", "it was stopped"},
           {JobEnd::kStopped, "stopped: nobody had used it for 2 h",
            "stopped: nobody had used it for 2 h"},
           {JobEnd::kTimeLimit, "", "its walltime was over"},
           {JobEnd::kFailed, "ended with exit code 3",
            "it failed: ended with exit code 3"},
           {JobEnd::kFailed, "", "it failed"},
           {JobEnd::kNodeFail, "node n1 failed: start it again",
            "node n1 failed: start it again"},
           {JobEnd::kCompleted, "", "its app was ended from within"},
           {JobEnd::kUnknown, "", "nobody saw how"}}) {
    const Job job = Ended(Job(), row.end, row.reason, absl::UnixEpoch());
    const JobStatus standing = JobStatusOf(job).value();
    CHECK(standing.phase == JobPhase::kEnded);
    CHECK(standing.reason == row.said);
  }
  Job job = Ended(Job(), JobEnd::kFailed, std::string(900, 'x') + "\n",
                  absl::UnixEpoch());
  CHECK(JobStatusOf(job)->reason.size() == 400);
  job.reason = "exit code 1";
  job.advice = "a module is missing";
  CHECK(JobStatusOf(job)->reason ==
        "it failed: exit code 1. a module is missing");
}

TEST_CASE("standing: only what changed is told, and old ends are forgotten",
          "[jobs]") {
  JobStatuses standings;
  int told = 0, forgotten = 0;
  const auto count = [&](const JobId&, const JobStatus& standing) {
    (standing.phase == JobPhase::kUnknown ? forgotten : told) += 1;
  };
  const absl::Time now = absl::FromUnixSeconds(1'000'000);
  const JobStatus waits{.phase = JobPhase::kWaits, .reason = "why"};
  standings.Set(IdOf(0), waits, now, count);
  standings.Set(IdOf(0), waits, now, count);
  CHECK(told == 1);
  const JobStatus ended{.phase = JobPhase::kEnded};
  const int most = static_cast<int>(JobStatuses::kMaxEnded);
  for (int i = 1; i <= most + 5; ++i) standings.Set(IdOf(i), ended, now, count);
  CHECK(forgotten == 5);
  CHECK(standings.all().size() == JobStatuses::kMaxEnded + 1);
  CHECK(standings.all().contains(IdOf(0)));
  standings.Set(IdOf(0), ended, now + absl::Hours(25), count);
  CHECK(standings.all().size() == 1);
  CHECK(forgotten == 5 + most);
}

TEST_CASE("standing: a proxy hears how a job is from its submission to its end",
          "[jobs]") {
  JobWorld world;
  const auto proxy = world.routes_->Subscribe([] {});
  CHECK(proxy->Drain().standings.empty());
  const Job job = world.Submit(world.ada_).value();
  CHECK(proxy->Drain().standings.at(job.id).phase == JobPhase::kWaits);
  world.slurm_.Run(job.slurm_id);
  world.slurm_.Poll();
  CHECK(proxy->Drain().standings.at(job.id).phase == JobPhase::kStarts);
  REQUIRE(world.admission_->Register(job.id, {"127.0.0.1", 34000}).ok());
  REQUIRE(world.admission_->ReportApp(job.id, kOwnAppReady).ok());
  const RouteUpdates ready = proxy->Drain();
  CHECK(ready.routes.size() == 1);
  CHECK(ready.standings.at(job.id).phase == JobPhase::kRuns);
  REQUIRE(ready.standings.at(job.id).apps.size() == 1);
  CHECK(ready.standings.at(job.id).apps[0].state == JobAppState::kReady);
  world.slurm_.End(job.slurm_id, SlurmState::kTimeLimit);
  world.slurm_.Poll();
  // In one message, so that nobody sees one without the other.
  const RouteUpdates over = proxy->Drain();
  CHECK(over.removed == std::vector<JobId>{job.id});
  CHECK(over.standings.at(job.id).phase == JobPhase::kEnded);
  CHECK(over.standings.at(job.id).reason.find("walltime") != std::string::npos);
  // A proxy that begins hears it, too.
  const RouteUpdates all = world.routes_->Subscribe([] {})->Drain();
  CHECK(all.standings.at(job.id).phase == JobPhase::kEnded);
}

}  // namespace
}  // namespace carme::backend
