#include <catch2/catch.hpp>

#include "backend/jobs/activity/gpu_use.h"
#include "backend/jobs/activity/idle_policy.h"
#include "tests/backend/jobs/activity/gpu_idle_world.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

const IdleTimes kTimes = IdleTimesOf(kPolicy);
const absl::Time kStart = absl::FromUnixSeconds(1'800'000'000);

Job RunningJob(const std::vector<std::string>& nodes, int gpus_per_node) {
  Job job;
  job.state = v1::JOB_STATE_READY;
  job.nodes = nodes;
  job.spec.nodes = static_cast<int>(nodes.size());
  job.spec.gpus_per_node = gpus_per_node;
  job.started_at = kStart;
  return job;
}

TEST_CASE("idle GPUs: only running jobs with GPUs are judged", "[jobs]") {
  CHECK(IsJudgedByGpus(RunningJob({"a1"}, 1)));
  CHECK_FALSE(IsJudgedByGpus(RunningJob({"a1"}, 0)));
  Job job = RunningJob({"a1"}, 1);
  job.spec.batch = BatchSpec{};
  CHECK(IsJudgedByGpus(job));
  job.spec.linked_to = "jaaaaaaaaaaaaaaa";
  CHECK(IsJudgedByGpus(job));
  job.spec.builds = "image";
  CHECK_FALSE(IsJudgedByGpus(job));
  for (const v1::JobState state :
       {v1::JOB_STATE_PENDING, v1::JOB_STATE_STARTING, v1::JOB_STATE_STOPPING,
        v1::JOB_STATE_ENDED}) {
    Job other = RunningJob({"a1"}, 1);
    other.state = state;
    CHECK_FALSE(IsJudgedByGpus(other));
  }
}

TEST_CASE("idle GPUs: a job that copies files or is vetted is not judged",
          "[jobs]") {
  for (const char* const id : {kStageIn, kStageOut, kVetting}) {
    CAPTURE(id);
    Job job = RunningJob({"a1"}, 1);
    job.apps = {{id, v1::JOB_APP_STATE_STARTING, ""}};
    CHECK_FALSE(IsJudgedByGpus(job));
    job.apps[0].state = v1::JOB_APP_STATE_UNSPECIFIED;
    CHECK(IsJudgedByGpus(job));
  }
}

TEST_CASE("idle GPUs: a missing GPU makes the idle time unknown", "[jobs]") {
  const absl::Time now = kStart + absl::Hours(9);
  const Job job = RunningJob({"a1", "a2"}, 2);
  CHECK_FALSE(IdleGpusOf(job, {}, now));
  Minutes gpus = {{{"a1", "0"}, 70}, {{"a1", "1"}, 65}, {{"a2", "0"}, 80}};
  CHECK_FALSE(IdleGpusOf(job, Measured(gpus), now));
  // A GPU of another node, or more of one node, are not the missing one.
  gpus[{"b1", "0"}] = 90;
  CHECK_FALSE(IdleGpusOf(job, Measured(gpus), now));
  gpus[{"a1", "2"}] = 90;
  CHECK_FALSE(IdleGpusOf(job, Measured(gpus), now));
  gpus[{"a2", "3"}] = 90;
  const auto idle = IdleGpusOf(job, Measured(gpus), now);
  REQUIRE(idle);
  CHECK(idle->idle == absl::Minutes(65));
  CHECK(idle->gpus.size() == 5);
}

TEST_CASE("idle GPUs: one used GPU makes the job used", "[jobs]") {
  const auto idle = IdleGpusOf(RunningJob({"a1", "a2"}, 1),
                               Measured({{{"a1", "0"}, 0}, {{"a2", "0"}, 500}}),
                               kStart + absl::Hours(9));
  REQUIRE(idle);
  CHECK(idle->idle == absl::ZeroDuration());
}

TEST_CASE("idle GPUs: the time before the job does not count", "[jobs]") {
  Job job = RunningJob({"a1"}, 1);
  const MeasuredGpus measured = Measured({{{"a1", "0"}, 500}});
  CHECK(IdleGpusOf(job, measured, kStart + absl::Minutes(7))->idle ==
        absl::Minutes(7));
  CHECK(IdleGpusOf(job, measured, kStart - absl::Minutes(7))->idle ==
        absl::ZeroDuration());
  job.started_at.reset();
  CHECK_FALSE(IdleGpusOf(job, measured, kStart));
}

TEST_CASE("idle GPUs: an array has the GPUs of its running tasks", "[jobs]") {
  const absl::Time now = kStart + absl::Hours(9);
  Job job = RunningJob({"a1", "a2"}, 1);
  job.spec.nodes = 1;
  job.array = JobArray{.total = 9, .pending = 6, .running = 3};
  Minutes gpus = {{{"a1", "0"}, 70}, {{"a1", "1"}, 65}};
  CHECK_FALSE(IdleGpusOf(job, Measured(gpus), now));
  gpus[{"a2", "0"}] = 80;
  CHECK(IdleGpusOf(job, Measured(gpus), now)->idle == absl::Minutes(65));
  job.array->running = 0;
  CHECK_FALSE(IdleGpusOf(job, {}, now));
}

TEST_CASE("idle GPUs: the time from the warning to the stop is waited for",
          "[jobs]") {
  CHECK(kTimes.warning == absl::Minutes(60));
  CHECK(kTimes.stop == absl::Minutes(30));
  IdleState state;
  const auto at = [&](int minutes, int idle) {
    return ApplyGpuReport(kTimes, absl::Minutes(idle),
                          kStart + absl::Minutes(minutes), &state);
  };
  CHECK(at(0, 59) == IdleStep::kNone);
  // The first report comes late.
  CHECK(at(1, 300) == IdleStep::kWarn);
  CHECK(at(30, 329) == IdleStep::kNone);
  // Another clock is ahead.
  CHECK(at(30, 9000) == IdleStep::kNone);
  CHECK(at(31, 330) == IdleStep::kWarn);  // less than before: it was used
  CHECK(at(60, 359) == IdleStep::kNone);
  CHECK(at(61, 360) == IdleStep::kStop);
}

TEST_CASE("idle GPUs: the backend's clock alone stops no job", "[jobs]") {
  IdleState state;
  CHECK(ApplyGpuReport(kTimes, absl::Minutes(60), kStart, &state) ==
        IdleStep::kWarn);
  CHECK(ApplyGpuReport(kTimes, absl::Minutes(61), kStart + absl::Hours(48),
                       &state) == IdleStep::kNone);
}

TEST_CASE("idle GPUs: a policy that only warns stops no job", "[jobs]") {
  GpuIdlePolicy policy = kPolicy;
  policy.action = v1::GpuIdlePolicy::ACTION_WARN_ONLY;
  IdleState state;
  CHECK(ApplyGpuReport(IdleTimesOf(policy), absl::Minutes(60), kStart,
                       &state) == IdleStep::kWarn);
  CHECK(ApplyGpuReport(IdleTimesOf(policy), absl::Hours(100),
                       kStart + absl::Hours(100), &state) == IdleStep::kNone);
}

TEST_CASE("idle GPUs: without a policy nothing happens", "[jobs]") {
  GpuIdleWorld world(std::nullopt);
  CHECK(world.jobs_->idle().ListGpuJudgedJobs().empty());
  for (const int minute : {60, 90, 120, 900}) world.At(minute);
  CHECK_FALSE(world.Now().idle);
  CHECK(world.IsReady());
  CHECK(world.Notified().empty());
}

TEST_CASE("idle GPUs: a job without samples is never warned about", "[jobs]") {
  GpuIdleWorld world;
  const auto judged = world.jobs_->idle().ListGpuJudgedJobs();
  REQUIRE(judged.size() == 1);
  CHECK(judged[0].id == world.id);
  CHECK(judged[0].gpus == 2);
  CHECK(judged[0].policy == kPolicy);
  for (const int minute : {60, 90, 120, 900}) {
    world.clock_.Advance(absl::Minutes(minute));
    world.jobs_->idle().OnGpuUse(world.id, Measured({}));
    world.jobs_->idle().OnGpuUse(world.id, Measured({{{"a1", "0"}, 1000}}));
    world.slurm_.Poll();
  }
  CHECK_FALSE(world.Now().idle);
  CHECK(world.IsReady());
}

TEST_CASE("idle GPUs: a source that dies after the warning stops no job",
          "[jobs]") {
  GpuIdleWorld world;
  world.At(60);
  REQUIRE(world.Now().idle);
  world.clock_.Advance(absl::Hours(2));
  world.jobs_->idle().OnGpuUse(world.id, Measured({}));
  CHECK(world.IsReady());
  world.slurm_.Poll();
  CHECK_FALSE(world.Now().idle);
  // It comes back, and the user is warned again.
  world.At(200);
  CHECK(world.IsReady());
  REQUIRE(world.Now().idle);
  CHECK(world.Notified().size() == 2);
}

TEST_CASE("idle GPUs: use measured with another threshold is ignored",
          "[jobs]") {
  GpuIdleWorld world;
  world.clock_.Advance(absl::Minutes(60));
  MeasuredGpus measured = Measured({{{"a1", "0"}, 60}, {{"a1", "1"}, 60}});
  measured.threshold_percent = kThreshold + 1;
  world.jobs_->idle().OnGpuUse(world.id, measured);
  CHECK_FALSE(world.Now().idle);
}

TEST_CASE("idle GPUs: a job with an unknown template is left alone", "[jobs]") {
  GpuIdleWorld world;
  world.template_lookup_.error = absl::InternalError("disk");
  CHECK(world.jobs_->idle().ListGpuJudgedJobs().empty());
  world.At(60);
  CHECK_FALSE(world.Now().idle);
}

TEST_CASE("idle GPUs: one busy GPU keeps the job", "[jobs]") {
  GpuIdleWorld world;
  for (const int minute : {60, 90, 120, 900}) world.At(minute, 0, minute);
  CHECK_FALSE(world.Now().idle);
  CHECK(world.IsReady());
}

TEST_CASE("idle GPUs: linked jobs that run keep the job", "[jobs]") {
  GpuIdleWorld world;
  JobSpec spec;
  spec.linked_to = world.id.value();
  spec.gpus_per_node = 1;
  const auto linked = world.Submit(world.ada_, "", spec);
  REQUIRE_THAT(linked, IsOk());
  SlurmJob running = SlurmJobOf(linked->slurm_id, linked->id, world.ada_.uid,
                                SlurmState::kRunning);
  running.nodes = {"a2"};
  world.slurm_.Put(running);
  world.slurm_.Poll();
  for (const int minute : {60, 90, 120}) world.At(minute);
  CHECK_FALSE(world.Now().idle);
  world.slurm_.End(linked->slurm_id, SlurmState::kCompleted);
  world.slurm_.Poll();
  world.At(121);
  CHECK(world.Now().idle);
}

TEST_CASE("idle GPUs: warns, then stops the job with a reason", "[jobs]") {
  GpuIdleWorld world;
  world.At(59);
  CHECK_FALSE(world.Now().idle);
  world.At(60);
  REQUIRE(world.Now().idle);
  CHECK(world.Now().idle->since == world.started_at);
  CHECK(world.Now().idle->stops_at == world.started_at + absl::Minutes(90));
  CHECK(world.Now().idle->gpus ==
        std::vector<JobGpu>{{"a1", "0"}, {"a1", "1"}});
  REQUIRE(world.Notified().size() == 1);
  CHECK(world.Notified()[0] ==
        "The GPUs of job \"jupyter\" have been idle for 1 h (a1: 0, 1). The "
        "job is stopped in 30 min unless it uses a GPU or you select Keep.");
  world.At(89);
  CHECK(world.IsReady());
  world.At(90);
  CHECK(world.Now().state == v1::JOB_STATE_STOPPING);
  REQUIRE(testing::WaitFor([&] { return !world.slurm_.Cancelled().empty(); }));
  world.slurm_.Poll();
  CHECK(world.Now().end == v1::JOB_END_STOPPED);
  CHECK(world.Now().stopped_by == v1::JOB_STOPPED_BY_CARME);
  CHECK(world.Now().reason.text ==
        absl::StrCat("stopped: its GPUs were idle since ",
                     absl::FormatTime("%Y-%m-%d %H:%M UTC", world.started_at,
                                      absl::UTCTimeZone()),
                     " (a1: 0, 1)"));
  REQUIRE(world.Notified().size() == 2);
  CHECK(world.Notified()[0] ==
        "Job \"jupyter\" was stopped: its GPUs were idle for 1 h 30 min (a1: "
        "0, 1).");
}

TEST_CASE("idle GPUs: Keep resets the timer, and only its user can", "[jobs]") {
  GpuIdleWorld world;
  world.At(60);
  REQUIRE(world.Now().idle);
  CHECK(absl::IsNotFound(
      world.jobs_->KeepAlive(world.bob_, world.id, "r").status()));
  CHECK(world.Now().idle);
  CHECK_FALSE(world.jobs_->KeepAlive(world.ada_, world.id, "r")->idle);
  world.At(119);
  CHECK_FALSE(world.Now().idle);
  world.At(120);
  CHECK(world.Now().idle);
  world.At(149);
  CHECK(world.IsReady());
  world.At(150);
  CHECK(world.Now().state == v1::JOB_STATE_STOPPING);
}

TEST_CASE("idle GPUs: use after the warning begins it anew", "[jobs]") {
  GpuIdleWorld world;
  world.At(60);
  REQUIRE(world.Now().idle);
  world.At(61, 0, 61);
  CHECK_FALSE(world.Now().idle);
  world.At(91, 30, 91);
  CHECK_FALSE(world.Now().idle);
  CHECK(world.IsReady());
}

TEST_CASE("idle GPUs: the reason that stops the job first is shown", "[jobs]") {
  GpuIdleWorld world;
  world.settings.idle_warning = absl::Minutes(60);
  world.settings.idle_stop = absl::Minutes(10);
  const std::string template_id = world.settings.id;
  REQUIRE_THAT(world.templates_->Change(template_id, world.settings), IsOk());
  world.At(60);
  CHECK(world.Now().idle->gpus.size() == 2);
  world.jobs_->idle().OnAgentActivity(world.id, {.unused = absl::Minutes(60)});
  CHECK(world.Now().idle->gpus.empty());
  // It is used by a person, and its GPUs are still idle.
  world.jobs_->idle().OnAgentActivity(world.id, {.unused = absl::Minutes(0)});
  CHECK(world.Now().idle->gpus.size() == 2);
}

}  // namespace
}  // namespace carme::backend
