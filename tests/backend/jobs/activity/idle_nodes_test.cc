#include "backend/jobs/activity/idle_nodes.h"

#include <catch2/catch.hpp>

#include "tests/backend/jobs/activity/gpu_idle_world.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

using SlurmOutcome = FakeSlurm::SlurmOutcome;

constexpr GpuIdlePolicy kShrink{.threshold_percent = kThreshold,
                                .warn_after = absl::Minutes(60),
                                .act_after = absl::Minutes(90),
                                .action = v1::GpuIdlePolicy::ACTION_SHRINK};

// A job with a GPU on each of three nodes, some of which it may return.
struct ShrinkWorld : GpuIdleWorld {
  explicit ShrinkWorld(const JobSpec& spec = {.gpus_per_node = 1})
      : GpuIdleWorld(kShrink, {"a1", "a2", "a3"}, spec) {
    admission_->SetReturnableNodes(Now(), {"a2", "a3"});
  }
  // The GPU of each node has been idle for so long.
  void Report(int minute, int first, int second, int third) {
    At(minute,
       {{{"a1", "0"}, first}, {{"a2", "0"}, second}, {{"a3", "0"}, third}});
  }
  std::vector<std::string> NodesInSlurm() { return slurm_.Jobs()[0].nodes; }
  bool HasReturned(size_t nodes) {
    const bool returned =
        testing::WaitFor([&] { return NodesInSlurm().size() == nodes; });
    slurm_.Poll();
    return returned;
  }
};

TEST_CASE("idle nodes: a job whose agent does not say so keeps its nodes",
          "[jobs]") {
  ShrinkWorld world;
  world.admission_->SetReturnableNodes(world.Now(), {});
  for (const int minute : {60, 90, 91, 900}) {
    world.Report(minute, 0, minute, minute);
  }
  CHECK_FALSE(world.Now().idle);
  CHECK(world.Notified().empty());
  CHECK(world.slurm_.Returns() == 0);
}

TEST_CASE("idle nodes: arrays and linked jobs keep their nodes", "[jobs]") {
  Job job;
  job.nodes = {"a1", "a2"};
  CHECK(MayReturnNodes(job));
  job.array = JobArray{};
  CHECK_FALSE(MayReturnNodes(job));
  job.array.reset();
  job.spec.linked_to = "jaaaaaaaaaaaaaaa";
  CHECK_FALSE(MayReturnNodes(job));
  job.spec.linked_to = "";
  job.nodes = {"a1"};
  CHECK_FALSE(MayReturnNodes(job));
}

TEST_CASE("idle nodes: linked jobs that run keep the nodes", "[jobs]") {
  ShrinkWorld world;
  JobSpec spec;
  spec.linked_to = world.id.value();
  spec.gpus_per_node = 1;
  const auto linked = world.Submit(world.ada_, "", spec);
  REQUIRE_THAT(linked, IsOk());
  world.Report(60, 0, 60, 60);
  REQUIRE(world.Now().idle);
  SlurmJob running = SlurmJobOf(linked->slurm_id, linked->id, world.ada_.uid,
                                SlurmState::kRunning);
  running.nodes = {"b1"};
  world.slurm_.Put(running);
  world.slurm_.Poll();
  world.Report(90, 0, 90, 90);
  CHECK_FALSE(world.Now().idle);
  CHECK(world.slurm_.Returns() == 0);
}

TEST_CASE("idle nodes: a policy that stops returns no nodes", "[jobs]") {
  GpuIdleWorld world(kPolicy, {"a1", "a2"}, {.gpus_per_node = 2});
  world.admission_->SetReturnableNodes(world.Now(), {"a2"});
  for (const int minute : {60, 90, 91, 900}) {
    world.At(minute, {{{"a1", "0"}, 0},
                      {{"a1", "1"}, 0},
                      {{"a2", "0"}, minute},
                      {{"a2", "1"}, minute}});
  }
  CHECK_FALSE(world.Now().idle);
  CHECK(world.slurm_.Returns() == 0);
}

TEST_CASE("idle nodes: a node with a used or a missing GPU stays", "[jobs]") {
  GpuIdleWorld world(kShrink, {"a1", "a2"}, {.gpus_per_node = 2});
  world.admission_->SetReturnableNodes(world.Now(), {"a2"});
  for (const int minute : {60, 90, 91, 900}) {
    world.At(minute, {{{"a1", "0"}, 0},
                      {{"a1", "1"}, 0},
                      {{"a2", "0"}, minute},
                      {{"a2", "1"}, 0}});
    world.At(minute,
             {{{"a1", "0"}, 0}, {{"a1", "1"}, 0}, {{"a2", "1"}, minute}});
  }
  CHECK_FALSE(world.Now().idle);
  CHECK(world.slurm_.Returns() == 0);
}

TEST_CASE("idle nodes: the node of the batch script stays", "[jobs]") {
  ShrinkWorld world;
  for (const int minute : {60, 90, 91, 900}) world.Report(minute, minute, 0, 0);
  CHECK_FALSE(world.Now().idle);
  CHECK(world.slurm_.Returns() == 0);
  CHECK(world.IsReady());
}

TEST_CASE("idle nodes: use between warning and return keeps a node", "[jobs]") {
  ShrinkWorld world;
  world.Report(60, 0, 60, 60);
  world.Report(61, 0, 0, 61);
  CHECK(world.Now().idle->gpus == std::vector<JobGpu>{{"a3", "0"}});
  world.Report(90, 0, 29, 90);
  REQUIRE(world.HasReturned(2));
  CHECK(world.NodesInSlurm() == std::vector<std::string>{"a1", "a2"});
}

TEST_CASE("idle nodes: Keep starts the idle time of all nodes anew", "[jobs]") {
  ShrinkWorld world;
  world.Report(60, 0, 60, 60);
  REQUIRE(world.Now().idle);
  CHECK_FALSE(world.jobs_->KeepAlive(world.ada_, world.id, "r")->idle);
  world.Report(90, 0, 90, 90);
  CHECK_FALSE(world.Now().idle);
  CHECK(world.slurm_.Returns() == 0);
  world.Report(120, 0, 120, 120);
  CHECK(world.Now().idle);
  CHECK(world.Notified().size() == 2);
}

TEST_CASE("idle nodes: without reports the warning is withdrawn", "[jobs]") {
  ShrinkWorld world;
  world.Report(60, 0, 60, 60);
  REQUIRE(world.Now().idle);
  world.clock_.Advance(absl::Minutes(30));
  world.slurm_.Poll();
  CHECK_FALSE(world.Now().idle);
  world.Report(91, 0, 91, 91);
  CHECK(world.slurm_.Returns() == 0);
  CHECK(world.Notified().size() == 2);
}

TEST_CASE("idle nodes: warns, then returns them with a notification",
          "[jobs]") {
  ShrinkWorld world;
  world.Report(59, 0, 59, 59);
  CHECK_FALSE(world.Now().idle);
  world.Report(60, 0, 60, 60);
  const Job warned = world.Now();
  REQUIRE(warned.idle);
  CHECK(warned.idle->returns_nodes);
  CHECK(warned.idle->since == world.started_at);
  CHECK(warned.idle->stops_at == world.started_at + absl::Minutes(90));
  CHECK(warned.idle->gpus.size() == 2);
  REQUIRE(world.Notified().size() == 1);
  CHECK(world.Notified()[0] ==
        "GPUs of job \"jupyter\" have been idle for 1 h (a2: 0; a3: 0). "
        "The job continues without a2, a3 in 30 min unless it uses these GPUs "
        "or you select Keep.");
  world.Report(89, 0, 89, 89);
  CHECK(world.slurm_.Returns() == 0);
  world.Report(90, 0, 90, 90);
  REQUIRE(testing::WaitFor([&] { return !world.Now().idle; }));
  CHECK(world.NodesInSlurm() == std::vector<std::string>{"a1"});
  // A report that comes before the poll shows the nodes still.
  world.Report(91, 0, 91, 91);
  CHECK_FALSE(world.Now().idle);
  CHECK(world.Notified().size() == 1);
  world.slurm_.Poll();
  CHECK(world.Now().nodes == std::vector<std::string>{"a1"});
  CHECK(world.IsReady());
  for (const int minute : {92, 93}) {
    world.At(minute, {{{"a1", "0"}, 0}});
    CHECK_FALSE(world.Now().idle);
    REQUIRE(world.Notified().size() == 2);
    CHECK(world.Notified()[0] ==
          "Job \"jupyter\" continues without a2, a3, whose GPUs were idle for "
          "1 h 31 min (a2: 0; a3: 0): the nodes were returned to Slurm.");
  }
}

TEST_CASE("idle nodes: each node has its own time", "[jobs]") {
  ShrinkWorld world;
  world.Report(60, 0, 60, 40);
  CHECK(world.Now().idle->gpus.size() == 1);
  world.Report(80, 0, 80, 60);
  // What is returned first is shown.
  CHECK(world.Now().idle->gpus == std::vector<JobGpu>{{"a2", "0"}});
  world.Report(90, 0, 90, 70);
  REQUIRE(world.HasReturned(2));
  CHECK(world.NodesInSlurm() == std::vector<std::string>{"a1", "a3"});
  world.clock_.Advance(absl::Minutes(1));
  world.Report(110, 0, 110, 90);
  REQUIRE(world.HasReturned(1));
}

TEST_CASE(
    "idle nodes: a job of which all GPUs are idle is stopped, and its "
    "user told once",
    "[jobs]") {
  ShrinkWorld world;
  world.Report(60, 60, 60, 60);
  REQUIRE(world.Now().idle);
  CHECK_FALSE(world.Now().idle->returns_nodes);
  CHECK(world.Now().idle->gpus.size() == 3);
  CHECK(world.Notified().size() == 1);
  world.Report(90, 90, 90, 90);
  CHECK(world.Now().state == v1::JOB_STATE_STOPPING);
  CHECK(world.slurm_.Returns() == 0);
}

TEST_CASE("idle nodes: a node that Slurm refuses stays until it is used again",
          "[jobs]") {
  ShrinkWorld world;
  world.Report(60, 0, 60, 60);
  world.slurm_.set_outcome(SlurmOutcome::kRefused);
  world.Report(90, 0, 90, 90);
  REQUIRE(testing::WaitFor([&] { return !world.Now().idle; }));
  world.slurm_.set_outcome(SlurmOutcome::kAccepted);
  for (const int minute : {150, 180, 900}) {
    world.Report(minute, 0, minute, minute);
    CHECK_FALSE(world.Now().idle);
  }
  CHECK(world.slurm_.Returns() == 1);
  CHECK(world.Notified().size() == 1);
  world.Report(901, 0, 0, 901);
  world.Report(961, 0, 60, 961);
  CHECK(world.Now().idle->gpus == std::vector<JobGpu>{{"a2", "0"}});
  world.Report(991, 0, 90, 991);
  REQUIRE(world.HasReturned(2));
}

TEST_CASE("idle nodes: programs that start there keep a node", "[jobs]") {
  ShrinkWorld world;
  world.Report(60, 0, 60, 60);
  world.admission_->SetReturnableNodes(world.Now(), {"a3", "a9"});
  world.Report(61, 0, 61, 61);
  CHECK(world.Now().idle->gpus == std::vector<JobGpu>{{"a3", "0"}});
  world.Report(90, 0, 90, 90);
  REQUIRE(world.HasReturned(2));
  CHECK(world.NodesInSlurm() == std::vector<std::string>{"a1", "a2"});
}

TEST_CASE(
    "idle nodes: the warning about nodes follows when the warning about "
    "the whole job is withdrawn",
    "[jobs]") {
  ShrinkWorld world;
  world.Report(60, 60, 60, 60);
  REQUIRE(world.Notified().size() == 1);
  world.Report(61, 0, 61, 61);
  CHECK(world.Notified().size() == 2);
  CHECK(world.Now().idle->returns_nodes);
  world.Report(90, 0, 90, 90);
  CHECK(world.slurm_.Returns() == 0);
  world.Report(91, 0, 91, 91);
  REQUIRE(world.HasReturned(1));
}

TEST_CASE("idle nodes: a return that has no effect is not repeated for ever",
          "[jobs]") {
  Job job;
  job.nodes = {"a1", "a2"};
  const IdleTimes times = IdleTimesOf(kShrink);
  IdleNodes nodes;
  const absl::Time start = absl::FromUnixSeconds(1'800'000'000);
  const auto at = [&](int minute) {
    return ApplyNodeReport(
        job, times,
        {.gpus = {{"a1", {}}, {"a2", {.idle = absl::Minutes(minute)}}},
         .returnable = {"a2"}},
        start + absl::Minutes(minute), &nodes);
  };
  CHECK(at(60).warned.nodes.size() == 1);
  int requests = 0;
  for (int minute = 90; minute < 200; ++minute) {
    const IdleNodeSteps steps = at(minute);
    if (steps.due.nodes.empty()) continue;
    ++requests;
    NoteRequested(steps.due, true, &nodes);
  }
  CHECK(requests == 6);
}

TEST_CASE("idle nodes: while Slurm is away the return is repeated", "[jobs]") {
  ShrinkWorld world;
  world.Report(60, 0, 60, 60);
  world.slurm_.set_outcome(SlurmOutcome::kUnavailable);
  world.Report(90, 0, 90, 90);
  REQUIRE(testing::WaitFor([&] { return world.slurm_.Returns() == 1; }));
  CHECK(world.Now().idle);
  world.slurm_.set_outcome(SlurmOutcome::kAccepted);
  world.Report(92, 0, 92, 92);
  REQUIRE(world.HasReturned(1));
  world.At(93, {{{"a1", "0"}, 0}});
  CHECK(world.Notified().size() == 2);
}

TEST_CASE("idle nodes: a batch job returns nodes, too", "[jobs]") {
  ShrinkWorld world(
      {.gpus_per_node = 1, .batch = BatchSpec{.command = "sleep 60"}});
  world.Report(60, 0, 60, 60);
  CHECK(world.Now().idle);
  world.Report(90, 0, 90, 90);
  REQUIRE(world.HasReturned(1));
}

}  // namespace
}  // namespace carme::backend
