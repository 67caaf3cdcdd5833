// Arrays: one job here, many of Slurm's.
#include "backend/jobs/state/array_state_machine.h"

#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/match.h"
#include "tests/backend/jobs/job_fixture.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

constexpr uint32_t kWhole = 100;

class ArrayWorld : public JobFixture {
 public:
  explicit ArrayWorld(const std::string& array = "0-3%2") {
    spec_.batch = BatchSpec{.command = "true", .array = array};
    job_ = Submit(ada_, "key", spec_).value();
    Waiting(array);
  }
  // The record of all tasks that wait.
  void Waiting(const std::string& tasks,
               SlurmState state = SlurmState::kPending) {
    SlurmJob slurm = Record(kWhole, state);
    slurm.tasks_waiting = tasks;
    slurm.reason = "JobArrayTaskLimit";
    slurm_.Put(slurm);
    slurm_.Poll();
  }
  void Task(uint32_t task, SlurmState state, int exit_code = 0,
            uint32_t id = 0) {
    SlurmJob slurm = Record(id == 0 ? kWhole + 1 + task : id, state);
    slurm.task = task;
    slurm.exit_code = exit_code;
    slurm.nodes = {"a1"};
    slurm.started_at = clock_.Now();
    slurm.ends_at = clock_.Now();
    slurm_.Put(slurm);
    slurm_.Poll();
  }
  SlurmJob Record(uint32_t id, SlurmState state) {
    SlurmJob slurm = SlurmJobOf(SlurmJobId(id), job_.id, ada_.uid, state);
    slurm.array = SlurmJobId(kWhole);
    return slurm;
  }
  // total, pending, running, completed, and all others that have ended.
  std::vector<int64_t> Counts() {
    const JobArray array = *Now(job_.id).array;
    int64_t completed = 0, others = 0;
    for (const auto& [end, tasks] : array.ended) {
      (end == v1::JOB_END_COMPLETED ? completed : others) += tasks.size();
    }
    return {array.total, array.pending, array.running, completed, others};
  }
  JobSpec spec_;
  Job job_;
};

using Counts = std::vector<int64_t>;

TEST_CASE("array: is one job with counted tasks", "[jobs]") {
  ArrayWorld world;
  CHECK(world.job_.slurm_id == SlurmJobId(kWhole));
  CHECK(world.Now(world.job_.id).state == v1::JOB_STATE_PENDING);
  CHECK(world.Counts() == Counts{4, 4, 0, 0, 0});
  world.Waiting("2-3%2");
  world.Task(0, SlurmState::kRunning);
  world.Task(1, SlurmState::kRunning);
  CHECK(world.Now(world.job_.id).state == v1::JOB_STATE_STARTING);
  CHECK(world.Counts() == Counts{4, 2, 2, 0, 0});
  world.Task(0, SlurmState::kCompleted);
  world.Waiting("3");
  world.Task(2, SlurmState::kRunning);
  CHECK(world.Counts() == Counts{4, 1, 2, 1, 0});
  world.Task(1, SlurmState::kCompleted);
  world.Task(2, SlurmState::kCompleted);
  // The last one has the array's own id.
  world.Task(3, SlurmState::kRunning, 0, kWhole);
  CHECK(world.Counts() == Counts{4, 0, 1, 3, 0});
  world.Task(3, SlurmState::kCompleting, 0, kWhole);
  CHECK(!HasEnded(world.Now(world.job_.id)));
  world.Task(3, SlurmState::kCompleted, 0, kWhole);
  const Job ended = world.Now(world.job_.id);
  CHECK(ended.end == v1::JOB_END_COMPLETED);
  CHECK(ended.reason.empty());
  CHECK(world.Counts() == Counts{4, 0, 0, 4, 0});
}

TEST_CASE("array: a name and a walltime that were changed in Slurm are its own",
          "[jobs]") {
  ArrayWorld world("0-2");
  const auto put = [&](uint32_t id, std::optional<uint32_t> task, int minutes,
                       const std::string& name, SlurmState state) {
    SlurmJob slurm = world.Record(id, state);
    slurm.task = task;
    if (!task) slurm.tasks_waiting = "1-2";
    if (task) slurm.nodes = {"a1"};
    slurm.walltime = absl::Minutes(minutes);
    slurm.name = name;
    world.slurm_.Put(slurm);
    world.slurm_.Poll();
  };
  const auto spec = [&] { return world.Now(world.job_.id).spec; };
  // The name of the tasks that still wait, and the longest time of all.
  put(kWhole + 1, 0, 90, "first", SlurmState::kRunning);
  put(kWhole, {}, 45, "renamed", SlurmState::kPending);
  CHECK(spec().walltime == absl::Minutes(90));
  CHECK(spec().name == "renamed");
  // None waits any more: the longest.
  put(kWhole + 2, 1, 30, "second", SlurmState::kRunning);
  put(kWhole, 2, 20, "last", SlurmState::kRunning);
  CHECK(spec().walltime == absl::Minutes(90));
  CHECK(spec().name == "first");
  // A missing name changes nothing, nor do Slurm's records of ended tasks.
  put(kWhole + 1, 0, 70, "", SlurmState::kRunning);
  CHECK(spec().name == "first");
  CHECK(spec().walltime == absl::Minutes(70));
  put(kWhole + 1, 0, 1, "over", SlurmState::kCompleted);
  put(kWhole + 2, 1, 1, "over", SlurmState::kCompleted);
  put(kWhole, 2, 1, "over", SlurmState::kCompleted);
  const Job ended = world.Now(world.job_.id);
  CHECK(HasEnded(ended));
  CHECK(ended.spec.name == "last");
  CHECK(ended.spec.walltime == absl::Minutes(20));
}

TEST_CASE("array: fails with a reason when one of its tasks failed", "[jobs]") {
  ArrayWorld world("0-2");
  world.Task(1, SlurmState::kFailed, 3);
  world.Task(0, SlurmState::kCompleted);
  world.Task(2, SlurmState::kFailed, 1, kWhole);
  const Job ended = world.Now(world.job_.id);
  CHECK(ended.end == v1::JOB_END_FAILED);
  CHECK(ended.exit_code == 3);
  CHECK(ended.reason.text ==
        "2 of 3 tasks failed; task 1: ended with exit code 3");
}

TEST_CASE("array: shows the agent's message about its task", "[jobs]") {
  ArrayWorld world("0-1");
  world.Task(0, SlurmState::kRunning);
  const SlurmJobId id(kWhole + 1);
  CHECK(absl::IsPermissionDenied(
      world.admission_->Admit({id, world.bob_.uid, "127.0.0.1"}).status()));
  const auto admitted =
      world.admission_->Admit({id, world.ada_.uid, "127.0.0.1"});
  REQUIRE_THAT(admitted, IsOk());
  CHECK(admitted->id == world.job_.id);
  CHECK(world.admission_->TaskOf(id) == 0U);
  CHECK(world.admission_->IsOwnersJob({id, world.ada_.uid, "127.0.0.1"}));
  CHECK(!world.admission_->IsOwnersJob({id, world.bob_.uid, "127.0.0.1"}));
  REQUIRE_THAT(world.admission_->Register(world.job_.id, {"127.0.0.1", 34000}),
               IsOk());
  DisplayText detail = "open output file \"/x\": no";
  detail.code = "AGENT_NO_OUTPUT";
  REQUIRE_THAT(world.admission_->ReportEnded(world.job_.id, detail, 0), IsOk());
  CHECK(world.Now(world.job_.id).state == v1::JOB_STATE_STARTING);
  world.Task(0, SlurmState::kFailed, 1);
  world.Task(1, SlurmState::kCompleted, 0, kWhole);
  CHECK(world.Now(world.job_.id).reason.text ==
        "1 of 2 tasks failed; task 0: open output file \"/x\": no");
  const std::vector<DisplayParameter> sentences =
      world.Now(world.job_.id).reason.parameters;
  REQUIRE(sentences.size() == 2);
  CHECK(sentences[1].value.code == "JOB_TASK_FAILURE");
  CHECK(sentences[1].value.parameters.at(1).value == detail);
}

TEST_CASE("array: what Slurm has forgotten stays counted", "[jobs]") {
  ArrayWorld world;
  world.Waiting("1-3%2");
  world.Task(0, SlurmState::kCompleted);
  world.slurm_.DeleteJob(SlurmJobId(kWhole + 1));
  world.clock_.Advance(absl::Minutes(10));
  world.slurm_.Poll();
  CHECK(world.Counts() == Counts{4, 3, 0, 1, 0});
  world.Restart();
  world.Waiting("1-3%2");
  CHECK(world.Counts() == Counts{4, 3, 0, 1, 0});
  for (const uint32_t task : {1, 2}) world.Task(task, SlurmState::kCompleted);
  world.Task(3, SlurmState::kCompleted, 0, kWhole);
  CHECK(world.Now(world.job_.id).end == v1::JOB_END_COMPLETED);
}

TEST_CASE("array: an unobserved end of a task stays unknown", "[jobs]") {
  ArrayWorld world("0-1");
  world.Waiting("1");
  world.Task(0, SlurmState::kRunning);
  world.Stop();
  world.slurm_.DeleteJob(SlurmJobId(kWhole + 1));
  world.Start();
  world.slurm_.Poll();
  // For a moment it is left open.
  CHECK(world.Counts() == Counts{2, 1, 0, 0, 0});
  world.clock_.Advance(absl::Seconds(11));
  world.slurm_.Poll();
  CHECK(world.Counts() == Counts{2, 1, 0, 0, 1});
  world.Task(1, SlurmState::kCompleted, 0, kWhole);
  const Job ended = world.Now(world.job_.id);
  CHECK(ended.end == v1::JOB_END_UNKNOWN);
  CHECK(ended.reason.text ==
        "1 of 2 tasks were removed by Slurm before their end was observed");
}

TEST_CASE("array: shows no tasks while Slurm is unavailable", "[jobs]") {
  ArrayWorld world;
  world.clock_.Advance(absl::Minutes(1));
  world.Waiting("0-1,...");
  const Job job = world.Now(world.job_.id);
  CHECK(!HasEnded(job));
  CHECK(job.array->ended.empty());
  world.Waiting("0-3");
  CHECK(world.Counts() == Counts{4, 4, 0, 0, 0});
}

TEST_CASE("array: stopping it stops all of it", "[jobs]") {
  ArrayWorld world;
  world.Waiting("1-3");
  world.Task(0, SlurmState::kRunning);
  REQUIRE_THAT(world.jobs_->Stop(world.ada_, world.job_.id, "request"), IsOk());
  CHECK(world.slurm_.Cancelled() ==
        std::vector<SlurmJobId>{SlurmJobId(kWhole)});
  world.Waiting("1-3", SlurmState::kCancelled);
  world.Task(0, SlurmState::kCancelled);
  const Job ended = world.Now(world.job_.id);
  CHECK(ended.end == v1::JOB_END_STOPPED);
  CHECK(ended.reason.empty());  // its user knows it
}

TEST_CASE("array: a stop by Carme keeps its reason", "[jobs]") {
  ArrayWorld world;
  world.Waiting("1-3");
  world.Task(0, SlurmState::kRunning);
  world.jobs_->active().Change(world.job_.id, [](ActiveJob& active) {
    active.job.state = v1::JOB_STATE_STOPPING;
    active.job.stopped_by = v1::JOB_STOPPED_BY_CARME;
    active.job.reason = "stopped: its GPUs were idle";
  });
  world.Waiting("1-3", SlurmState::kCancelled);
  world.Task(0, SlurmState::kCancelled);
  const Job ended = world.Now(world.job_.id);
  CHECK(ended.end == v1::JOB_END_STOPPED);
  CHECK(ended.stopped_by == v1::JOB_STOPPED_BY_CARME);
  CHECK(absl::StartsWith(ended.reason.text,
                         "stopped: its GPUs were idle; 4 of 4 tasks"));
}

TEST_CASE("array: an end by Slurm has a reason", "[jobs]") {
  ArrayWorld world("0-1");
  SlurmJob slurm = world.Record(kWhole, SlurmState::kCancelled);
  slurm.tasks_waiting = "0-1";
  slurm.reason = "DependencyNeverSatisfied";
  world.slurm_.Put(slurm);
  world.slurm_.Poll();
  const Job ended = world.Now(world.job_.id);
  CHECK(ended.end == v1::JOB_END_STOPPED);
  CHECK(ended.reason.text ==
        "2 of 2 tasks were stopped; task 0: the job that it depended on did "
        "not end as required");
}

TEST_CASE(
    "array: tasks of an ended project do not start, running ones continue",
    "[jobs]") {
  JobFixture world;
  JobSpec spec;
  spec.batch = BatchSpec{.command = "true", .array = "0-1"};
  spec.project = world.AdasProject();
  const Job job = world.Submit(world.ada_, "", spec).value();
  CHECK_THAT(world.jobs_->MayBegin(job), IsOk());
  Job elsewhere = world.Now(job.id);
  elsewhere.spec.project = "nosuchproject";
  CHECK(absl::IsFailedPrecondition(world.jobs_->MayBegin(elsewhere)));
  CHECK(world.Now(job.id).state == v1::JOB_STATE_PENDING);
}

TEST_CASE("array: ignores arrays of other users and other jobs", "[jobs]") {
  ArrayWorld world;
  SlurmJob theirs = world.Record(500, SlurmState::kRunning);
  theirs.uid = world.bob_.uid;
  theirs.task = 0;
  world.slurm_.Put(theirs);
  SlurmJob second = world.Record(600, SlurmState::kFailed);
  second.array = SlurmJobId(599);
  second.task = 1;
  world.slurm_.Put(second);
  world.slurm_.Poll();
  CHECK(world.Counts() == Counts{4, 4, 0, 0, 0});
}

TEST_CASE("array: is found after a lost response", "[jobs]") {
  JobFixture world;
  world.slurm_.set_outcome(FakeSlurm::SlurmOutcome::kRequestLost);
  JobSpec spec;
  spec.batch = BatchSpec{.command = "true", .array = "0-1"};
  const Job job = world.Submit(world.ada_, "key", spec).value();
  SlurmJob task =
      SlurmJobOf(SlurmJobId(9), job.id, world.ada_.uid, SlurmState::kRunning);
  task.array = SlurmJobId(8);
  task.task = 0;
  world.slurm_.Put(task);
  world.slurm_.Poll();
  CHECK(world.Now(job.id).slurm_id == SlurmJobId(8));
  CHECK(world.Now(job.id).array->running == 1);
  // The same key is the same array.
  CHECK(world.Submit(world.ada_, "key", spec).value().id == job.id);
}

TEST_CASE("array: each task has a log, the whole has none", "[jobs]") {
  ArrayWorld world;
  world.slurm_.set_log("words");
  const auto read = [&](std::optional<uint32_t> task) {
    return world.jobs_
        ->ReadLog(world.ada_, world.job_.id, "", 0, "request", task)
        .status();
  };
  CHECK(absl::IsNotFound(read({})));
  CHECK(absl::IsNotFound(read(4)));
  CHECK_THAT(read(3), IsOk());
  const Job plain = world.Submit(world.ada_).value();
  CHECK(absl::IsInvalidArgument(
      world.jobs_->ReadLog(world.ada_, plain.id, "", 0, "request", 0)
          .status()));
}

TEST_CASE("batch: waits for jobs of the caller's alone", "[jobs]") {
  JobFixture world;
  const Job first = world.Submit(world.ada_).value();
  JobSpec spec;
  spec.batch = BatchSpec{
      .command = "true",
      .dependencies = {{first.id.value(), v1::DEPENDENCY_KIND_AFTER_OK}}};
  CHECK(absl::IsNotFound(world.Submit(world.bob_, "", spec).status()));
  CHECK_THAT(world.Submit(world.ada_, "", spec), IsOk());
  // Ended, and Slurm knows how.
  world.slurm_.End(first.slurm_id, SlurmState::kCompleted);
  world.slurm_.Poll();
  CHECK_THAT(world.Submit(world.ada_, "", spec), IsOk());
  world.slurm_.DeleteJob(first.slurm_id);
  world.slurm_.Poll();
  CHECK(absl::IsNotFound(world.Submit(world.ada_, "", spec).status()));
}

TEST_CASE("batch: is ready when its agent reports so, without a route",
          "[jobs]") {
  JobFixture world;
  JobSpec spec;
  spec.batch = BatchSpec{.command = "true"};
  const Job job = world.Submit(world.ada_, "", spec).value();
  world.slurm_.Run(job.slurm_id);
  world.slurm_.Poll();
  CHECK(absl::IsFailedPrecondition(world.admission_->ReportRunning(job.id)));
  REQUIRE_THAT(world.admission_->Register(job.id, {"127.0.0.1", 34000}),
               IsOk());
  REQUIRE_THAT(world.admission_->ReportRunning(job.id), IsOk());
  CHECK(world.Now(job.id).state == v1::JOB_STATE_READY);
  CHECK(world.routes_->Subscribe([] {})->Drain().routes.empty());
  // An interactive one becomes ready by its app alone.
  const Job other = world.Registered();
  CHECK(absl::IsFailedPrecondition(world.admission_->ReportRunning(other.id)));
}

TEST_CASE("array: is the same when it is read again", "[jobs]") {
  JobArray array;
  array.total = 9;
  array.pending = 2;
  array.running = 1;
  array.ended[v1::JOB_END_COMPLETED].Add(TaskSet::Range{0, 3});
  array.ended[v1::JOB_END_TIME_LIMIT].Add(7);
  array.first_failure = "task 7: it reached its walltime";
  CHECK(ParseJobArray(SerializeArray(array)).value() == array);
  CHECK(ParseJobArray("").value() == std::nullopt);
  for (const char* text : {"x", "1 2", "1 2 3\nx", "1 2 3\n2 0-", "1 2 3\n2"}) {
    INFO(text);
    CHECK(absl::IsInternal(ParseJobArray(text).status()));
  }
}

}  // namespace
}  // namespace carme::backend
