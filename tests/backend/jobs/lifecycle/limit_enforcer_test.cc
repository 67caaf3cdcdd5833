// Jobs that are changed in Slurm, at submission or later: what is checked, what
// is counted, and what is done about it.
#include "backend/jobs/lifecycle/limit_enforcer.h"

#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "backend/jobs/state/job_state_machine.h"
#include "backend/notifications/event.h"
#include "tests/backend/jobs/job_fixture.h"
#include "tests/backend/policy/clusters.h"
#include "tests/support/status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

using SlurmOutcome = FakeSlurm::SlurmOutcome;

const absl::Time kStart = absl::FromUnixSeconds(1'800'000'000);

SlurmSize SizeWith(int gpus, int nodes = 1) {
  return {.nodes = nodes,
          .cpus = 2 * nodes,
          .memory_mib = 100,
          .gpus = std::map<std::string, int>{{"a100", gpus}}};
}

int64_t CountOf(JobFixture& world, const std::string& query) {
  int64_t count = 0;
  REQUIRE_THAT(world.database_->Query([&](Database& db) -> absl::Status {
    auto row = db.Prepare(query).value();
    if (row.Step().value()) count = row.Int(0);
    return absl::OkStatus();
  }),
               IsOk());
  return count;
}

int64_t Notified(JobFixture& world) {
  return CountOf(
      world, "SELECT count(*) FROM events WHERE kind = " +
                 std::to_string(static_cast<int>(v1::NOTIFICATION_KIND_QUOTA)));
}

void Set(JobFixture& world, const Job& job,
         const std::function<void(SlurmJob&)>& edit) {
  world.slurm_.Change(job.slurm_id, edit);
  world.clock_.Advance(absl::Seconds(11));
  world.slurm_.Poll();
}

void PollMore(JobFixture& world, int looks) {
  for (int i = 0; i < looks; ++i) {
    world.clock_.Advance(absl::Seconds(11));
    world.slurm_.Poll();
  }
}

// Waits until every check that was asked for before is done.
void AwaitChecks(JobFixture& world) {
  JobSpec spec;
  spec.gpus_per_node = 1;
  const Job last = world.Submit(world.bob_, "", spec).value();
  world.slurm_.Poll();
  Set(world, last, [](SlurmJob& slurm) { slurm.size = SizeWith(8); });
  REQUIRE(testing::WaitFor(
      [&] { return world.Now(last.id).over_limit.has_value(); }));
}

TEST_CASE("limits: a QOS that Slurm fills in is not the spec's", "[jobs]") {
  Job job;
  SlurmJob slurm;
  const auto follow = [&](const std::string& qos) {
    const Job before = job;
    slurm.qos = qos;
    ApplySlurmSpec(slurm, &job);
    return HasGrown(before, job);
  };
  CHECK_FALSE(follow("normal"));
  CHECK(job.spec.qos.empty());
  CHECK(job.default_qos == "normal");
  CHECK_FALSE(follow("normal"));
  CHECK(follow("short"));
  CHECK(job.spec.qos == "short");
  CHECK_FALSE(follow("short"));
  CHECK_FALSE(follow(""));  // not reported
  CHECK(job.spec.qos == "short");
  CHECK_FALSE(follow("normal"));
  CHECK(job.spec.qos.empty());
  // One that was asked for stays the spec's.
  job = Job();
  job.spec.qos = "normal";
  CHECK_FALSE(follow("normal"));
  CHECK(job.spec.qos == "normal");
  CHECK(follow("short"));
  CHECK(follow("normal"));
}

TEST_CASE("limits: the default QOS survives a restart", "[jobs]") {
  JobFixture world;
  const Job job = world.Submit(world.ada_).value();
  Set(world, job, [](SlurmJob& slurm) { slurm.qos = "normal"; });
  const Job before = world.Now(job.id);
  CHECK(before.default_qos == "normal");
  world.Restart();
  CHECK(world.Now(job.id).default_qos == "normal");
  world.slurm_.Poll();
  CHECK(world.Now(job.id).spec.qos.empty());
  Set(world, job, [](SlurmJob& slurm) { slurm.qos = "short"; });
  CHECK(world.Now(job.id).spec.qos == "short");
}

TEST_CASE("limits: growth within a template without a QOS is allowed",
          "[jobs]") {
  JobFixture world;
  SlurmSnapshot cluster = SmallCluster();
  cluster.partitions[0].exclusive = true;
  world.slurm_.set_cluster(cluster);
  world.slurm_.Poll();
  const auto made = world.templates_->Create({.name = "Two",
                                              .partition = "main",
                                              .max_gpus_per_node = 2,
                                              .cpus_per_gpu = 1});
  REQUIRE_THAT(made, IsOk());
  REQUIRE_THAT(world.templates_->Attach(made->job_template.id, "", true),
               IsOk());
  JobSpec spec;
  spec.gpus_per_node = 1;
  const Job job = world.Submit(world.ada_, "", spec).value();
  const auto has = [](int gpus) {
    return [gpus](SlurmJob& slurm) {
      slurm.partition = "main";
      slurm.qos = "normal";
      slurm.account = "site";
      slurm.size = SizeWith(gpus);
      slurm.size.cpus = 64;  // all of the node
    };
  };
  Set(world, job, has(1));
  Set(world, job, has(2));
  AwaitChecks(world);
  CHECK(world.Now(job.id).spec.gpus_per_node == 2);
  CHECK_FALSE(world.Now(job.id).over_limit);
  Set(world, job, has(3));
  CHECK(testing::WaitFor(
      [&] { return world.Now(job.id).over_limit.has_value(); }));
}

TEST_CASE("limits: a job that Slurm changes at submission is not stopped",
          "[jobs]") {
  JobFixture world;  // at most 4 GPUs a job
  const auto made =
      world.templates_->Create({.name = "Main", .partition = "main"});
  REQUIRE_THAT(made, IsOk());
  REQUIRE_THAT(world.templates_->Attach(made->job_template.id, "", true),
               IsOk());
  JobSpec spec;
  spec.gpus_per_node = 1;
  const Job moved = world.Submit(world.ada_, "", spec).value();
  const Job larger = world.Submit(world.ada_, "", spec).value();
  const auto move = [](SlurmJob& slurm) {
    slurm.partition = "long";
    slurm.qos = "short";
    slurm.account = "other";
    slurm.size = SizeWith(1);
    slurm.size.cpus = 8;
  };
  world.slurm_.Change(moved.slurm_id, move);
  world.slurm_.Change(larger.slurm_id,
                      [](SlurmJob& slurm) { slurm.size = SizeWith(8); });
  world.clock_.Advance(absl::Seconds(11));
  world.slurm_.Poll();
  CHECK(testing::WaitFor([&] { return Notified(world) == 1; }));
  PollMore(world, 3);
  world.Restart();  // it is no change to the next process either
  PollMore(world, 3);
  AwaitChecks(world);
  CHECK(world.Now(moved.id).spec.partition == "long");
  for (const Job& job : {moved, larger}) {
    CHECK_FALSE(world.Now(job.id).over_limit);
    CHECK_FALSE(world.Now(job.id).held);
  }
  CHECK(world.slurm_.Cancelled().empty());
  CHECK(CountOf(world, "SELECT count(*) FROM events WHERE subject = '" +
                           larger.id.value() + "'") == 1);
  CHECK(CountOf(world, "SELECT count(*) FROM events WHERE subject = '" +
                           moved.id.value() + "'") == 0);
  // Its user's own change is one.
  Set(world, larger, [](SlurmJob& slurm) { slurm.size = SizeWith(9); });
  CHECK(testing::WaitFor(
      [&] { return world.Now(larger.id).over_limit.has_value(); }));
}

Job RunningWith(int gpus) {
  Job job;
  job.id = JobId("aaaaaaaaaaaaaaaa");
  job.slurm_id = SlurmJobId(7);
  job.state = v1::JOB_STATE_PENDING;
  job.created_at = kStart - absl::Hours(1);
  job.spec.gpus_per_node = gpus;
  return job;
}

TEST_CASE("usage: each size of a run counts for its own time", "[jobs]") {
  struct Step {
    int at;  // seconds after the start
    int gpus;
  };
  struct Row {
    std::vector<Step> steps;  // the first is the size at the start
    int end;
    int gpu_seconds;
  };
  const Row rows[] = {
      {{{0, 8}}, 100, 800},
      {{{0, 8}, {50, 1}}, 100, 450},
      {{{0, 8}, {99, 0}}, 100, 792},
      {{{0, 1}, {50, 8}}, 100, 450},
      {{{0, 1}, {50, 8}, {60, 2}, {80, 4}}, 100, 250},
      {{{0, 4}, {40, 4}, {40, 2}}, 30, 160},  // its end is another clock's
      {{{10, 8}, {50, 1}}, 100, 450},         // was seen late
  };
  for (const Row& row : rows) {
    Job job = RunningWith(1);
    SlurmJob slurm;
    slurm.id = SlurmJobId(7);
    slurm.state = SlurmState::kRunning;
    slurm.nodes = {"a1"};
    slurm.started_at = kStart;
    slurm.submitted = kStart - absl::Hours(1);
    for (const Step& step : row.steps) {
      slurm.size = SizeWith(step.gpus);
      job =
          Next(job, {.slurm = &slurm, .now = kStart + absl::Seconds(step.at)});
      CHECK(job.spent.gpus >= absl::ZeroDuration());
    }
    const absl::Time end = kStart + absl::Seconds(row.end);
    Job ended = job;
    CountRun(*CurrentRunOf(job), end, &ended);
    CHECK(ended.spent.gpus == absl::Seconds(row.gpu_seconds));
    // Or it is put back into the queue, with another size.
    slurm.state = SlurmState::kPending;
    slurm.restarts = 1;
    slurm.submitted = end;
    slurm.size = SizeWith(3);
    job = Next(job, {.slurm = &slurm, .now = end + absl::Seconds(5)});
    CHECK(job.spent.gpus == absl::Seconds(row.gpu_seconds));
    CHECK_FALSE(job.sized);
  }
}

TEST_CASE("usage: a job that shrinks counts with each size", "[jobs]") {
  JobFixture world;
  JobSpec spec;
  spec.gpus_per_node = 4;
  const Job job = world.Submit(world.ada_, "", spec).value();
  world.slurm_.Change(job.slurm_id,
                      [](SlurmJob& slurm) { slurm.size = SizeWith(4); });
  world.slurm_.Run(job.slurm_id);
  world.slurm_.Poll();
  world.clock_.Advance(absl::Seconds(100));
  world.slurm_.Change(job.slurm_id,
                      [](SlurmJob& slurm) { slurm.size = SizeWith(1); });
  world.slurm_.Poll();
  CHECK(world.Now(job.id).spent.gpus == absl::Seconds(400));
  const bool restarts = GENERATE(false, true);
  world.clock_.Advance(absl::Seconds(100));
  world.slurm_.End(job.slurm_id, SlurmState::kCompleted);
  if (restarts) world.Restart();
  world.slurm_.Poll();
  CHECK(testing::WaitFor([&] {
    const auto terms =
        world.quotas_->For({.uid = world.ada_.uid,
                            .role = world.ada_.role,
                            .groups = std::vector<std::string>()},
                           "");
    return terms.ok() && terms->person.ever_spent == absl::Seconds(500);
  }));
  CHECK(testing::WaitFor([&] {
    return CountOf(world, "SELECT gpu_seconds FROM history") == 500;
  }));
}

// An array of Ada's of 4 tasks, of which Slurm shows these records.
struct ChangedArray : JobFixture {
  ChangedArray() {
    JobSpec spec;
    spec.gpus_per_node = 1;
    spec.batch = BatchSpec{.command = "true", .array = "0-3"};
    job_ = Submit(ada_, "", spec).value();
    SlurmJob all = Record(job_.slurm_id.value(), SlurmState::kPending);
    all.tasks_waiting = "0-3";
    slurm_.Put(all);
    slurm_.Poll();
  }
  SlurmJob Record(uint32_t id, SlurmState state) const {
    SlurmJob slurm = SlurmJobOf(SlurmJobId(id), job_.id, ada_.uid, state);
    slurm.array = job_.slurm_id;
    slurm.submitted =
        absl::FromUnixSeconds(absl::ToUnixSeconds(job_.created_at));
    slurm.partition = "main";
    slurm.qos = "normal";
    slurm.account = "site";
    slurm.size = SizeWith(1);
    return slurm;
  }
  // Task 3 gets a record of its own.
  void Split(const std::function<void(SlurmJob&)>& edit) {
    SlurmJob rest = Record(job_.slurm_id.value(), SlurmState::kPending);
    rest.tasks_waiting = "0-2";
    slurm_.Put(rest);
    SlurmJob one = Record(job_.slurm_id.value() + 4, SlurmState::kPending);
    one.task = 3;
    edit(one);
    slurm_.Put(one);
    clock_.Advance(absl::Seconds(11));
    slurm_.Poll();
  }
  Job job_;
};

TEST_CASE("limits: one task of an array that grows is seen", "[jobs]") {
  ChangedArray world;
  world.Split([](SlurmJob& slurm) {
    slurm.size = SizeWith(8);
    slurm.walltime = absl::Hours(9);
  });
  const Job grown = world.Now(world.job_.id);
  CHECK(grown.spec.gpus_per_node == 8);
  CHECK(grown.spec.walltime == absl::Hours(9));
  CHECK(testing::WaitFor([&] {
    const auto over = world.Now(grown.id).over_limit;
    return over && over->violations[0].limit == "max_gpus_per_job";
  }));
}

TEST_CASE("limits: one task of an array that is moved is seen once", "[jobs]") {
  ChangedArray world;
  world.Split([](SlurmJob&) {});
  const Job before = world.Now(world.job_.id);
  REQUIRE(before.places.size() == 1);
  CHECK(before.places[0].qos.empty());
  const int what = GENERATE(0, 1, 2);
  world.Split([&](SlurmJob& slurm) {
    (what == 0   ? slurm.partition
     : what == 1 ? slurm.qos
                 : slurm.account) = "other";
  });
  const Job moved = world.Now(before.id);
  CHECK(moved.places.size() == 2);
  CHECK(moved.spec.partition == "main");
  CHECK(HasGrown(before, moved));
  world.slurm_.Poll();
  CHECK_FALSE(HasGrown(moved, world.Now(before.id)));
  CHECK_FALSE(HasGrown(moved, before));
}

TEST_CASE("usage: an array's task counts with its own size", "[jobs]") {
  ChangedArray world;
  const absl::Time start = world.clock_.Now();
  world.slurm_.DeleteJob(world.job_.slurm_id);
  world.clock_.Advance(absl::Seconds(30));
  for (uint32_t task = 0; task < 4; ++task) {
    SlurmJob slurm = world.Record(world.job_.slurm_id.value() + 1 + task,
                                  SlurmState::kCompleted);
    slurm.task = task;
    slurm.nodes = {"a1"};
    slurm.started_at = start;
    slurm.ends_at = start + absl::Seconds(10);
    slurm.size = SizeWith(task == 3 ? 4 : 1);
    world.slurm_.Put(slurm);
  }
  world.slurm_.Poll();
  const Job ended = world.Now(world.job_.id);
  REQUIRE(ended.end == v1::JOB_END_COMPLETED);
  CHECK(ended.spent.gpus == absl::Seconds(70));
  CHECK(ended.spent.cpus == absl::Seconds(80));
}

TEST_CASE("limits: does not hold a job that an administrator holds", "[jobs]") {
  JobFixture world;
  JobSpec spec;
  spec.gpus_per_node = 1;
  const Job job = world.Submit(world.ada_, "", spec).value();
  world.slurm_.Poll();
  Set(world, job, [](SlurmJob& slurm) {
    slurm.held = true;
    slurm.reason = "JobHeldAdmin";
    slurm.size = SizeWith(8);
  });
  REQUIRE(testing::WaitFor(
      [&] { return world.Now(job.id).over_limit.has_value(); }));
  PollMore(world, 5);
  AwaitChecks(world);
  CHECK(world.slurm_.Jobs()[0].reason == "JobHeldAdmin");
}

TEST_CASE("limits: a hold that fails is tried ever less often", "[jobs]") {
  JobFixture world;
  JobSpec spec;
  spec.gpus_per_node = 1;
  const Job job = world.Submit(world.ada_, "", spec).value();
  world.slurm_.Poll();
  world.slurm_.set_outcome(SlurmOutcome::kUnavailable);
  Set(world, job, [](SlurmJob& slurm) { slurm.size = SizeWith(8); });
  REQUIRE(testing::WaitFor([&] { return world.slurm_.Updates() == 1; }));
  const auto over = [&] { return world.Now(job.id).over_limit; };
  // 3300 s: without a pause 300 more.
  for (int i = 0; i < 300; ++i) {
    PollMore(world, 1);
    const int updates = world.slurm_.Updates();
    if (updates > 12) break;
  }
  REQUIRE(over().has_value());
  CHECK(testing::WaitFor([&] { return world.slurm_.Updates() > 1; }));
  CHECK(world.slurm_.Updates() <= 10);
  world.slurm_.set_outcome(SlurmOutcome::kAccepted);
  CHECK(testing::WaitFor([&] {
    world.clock_.Advance(absl::Minutes(30));
    world.slurm_.Poll();
    return world.slurm_.Jobs()[0].held;
  }));
  // Entries are written in order: each outcome has one.
  const std::string entries =
      "SELECT count(*) FROM audit WHERE result LIKE 'held: ";
  CHECK(testing::WaitFor([&] { return CountOf(world, entries + "OK'") == 1; }));
  CHECK(CountOf(world, entries + "UNAVAILABLE%'") == 1);
}

TEST_CASE("jobs: a refused stop reverts no other stop", "[jobs]") {
  JobFixture world;
  const Job job = world.Registered();
  world.slurm_.set_outcome(SlurmOutcome::kForbidden);
  // Another stop of the same job arrives while this one is refused.
  const SlurmOutcome other =
      GENERATE(SlurmOutcome::kForbidden, SlurmOutcome::kUnavailable,
               SlurmOutcome::kAccepted);
  world.slurm_.set_at_next_cancel([&] {
    world.slurm_.set_outcome(other);
    const auto second = world.jobs_->Stop(world.ada_, job.id, "second");
    CHECK(second.ok() == (other != SlurmOutcome::kForbidden));
  });
  CHECK_FALSE(world.jobs_->Stop(world.ada_, job.id, "first").ok());
  const bool stops = other != SlurmOutcome::kForbidden;
  CHECK((world.Now(job.id).state == v1::JOB_STATE_STOPPING) == stops);
  world.slurm_.set_outcome(SlurmOutcome::kAccepted);
  PollMore(world, 1);
  CHECK(testing::WaitFor([&] {
    world.slurm_.Poll();
    return HasEnded(world.Now(job.id)) == stops;
  }));
}

TEST_CASE("jobs: a pending stop survives a refused one", "[jobs]") {
  JobFixture world;
  const Job job = world.Registered();
  world.slurm_.set_outcome(SlurmOutcome::kUnavailable);
  // The first stop marks the job and is refused while the second one, which
  // found it marked, waits for Slurm: reversed here by the record itself.
  world.slurm_.set_at_next_cancel([&] {
    world.jobs_->active().Change(job.id, [](ActiveJob& active) {
      active.job.state = v1::JOB_STATE_READY;
    });
  });
  const auto stopping = world.jobs_->Stop(world.ada_, job.id, "r");
  REQUIRE_THAT(stopping, IsOk());
  CHECK(stopping->state == v1::JOB_STATE_STOPPING);
  world.slurm_.set_outcome(SlurmOutcome::kAccepted);
  PollMore(world, 1);
  CHECK(testing::WaitFor([&] {
    world.slurm_.Poll();
    return world.Now(job.id).end == v1::JOB_END_STOPPED;
  }));
}

}  // namespace
}  // namespace carme::backend
