#include "backend/jobs/state/node_outcomes.h"

#include <catch2/catch.hpp>
#include <string>
#include <vector>

namespace carme::backend {
namespace {

struct EndedJobOnNodes {
  explicit EndedJobOnNodes(std::vector<std::string> nodes) {
    job.id = JobId("k3v9x2m8q1w7e5r4");
    job.owner = "ada";
    job.slurm_id = slurm.id = SlurmJobId(17);
    slurm.nodes = std::move(nodes);
    for (const char* name : {"n1", "n2"}) {
      SlurmNode node;
      node.name = name;
      node.up = true;
      cluster.nodes.push_back(node);
    }
  }
  std::vector<NodeEntry> After(SlurmState state) {
    slurm.state = state;
    return NodeOutcomesOf(job, slurm, cluster);
  }
  Job job;
  SlurmJob slurm;
  SlurmSnapshot cluster;
};

TEST_CASE("node outcomes: normal ends say nothing about nodes", "[backend]") {
  EndedJobOnNodes ended({"n1"});
  for (const SlurmState state :
       {SlurmState::kCompleted, SlurmState::kCancelled, SlurmState::kPreempted,
        SlurmState::kFailed, SlurmState::kTimeLimit, SlurmState::kUnknown}) {
    CHECK(ended.After(state).empty());
  }
  ended.slurm.exit_code = 128;
  CHECK(ended.After(SlurmState::kFailed).empty());
}

TEST_CASE("node outcomes: one of several nodes is not blamed for a program",
          "[backend]") {
  EndedJobOnNodes ended({"n1", "n2"});
  CHECK(ended.After(SlurmState::kOutOfMemory).empty());
  ended.slurm.exit_code = 139;
  CHECK(ended.After(SlurmState::kFailed).empty());
}

TEST_CASE("node outcomes: the node that is down has failed, else all",
          "[backend]") {
  EndedJobOnNodes ended({"n1", "n2"});
  ended.cluster.nodes[1].up = false;
  const auto entries = ended.After(SlurmState::kNodeFail);
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].node == "n2");
  CHECK(entries[0].name == "node_fail");
  CHECK(entries[0].severity == v1::NODE_ENTRY_SEVERITY_ERROR);
  CHECK(entries[0].run == "k3v9x2m8q1w7e5r4");
  CHECK(entries[0].user == "ada");
  CHECK_FALSE(IsSiteRun(entries[0].source));
  ended.cluster.nodes[1].up = true;
  CHECK(ended.After(SlurmState::kNodeFail).size() == 2);
}

TEST_CASE("node outcomes: a program that a signal ended is a warning",
          "[backend]") {
  EndedJobOnNodes ended({"n1"});
  ended.slurm.exit_code = 139;
  const auto entries = ended.After(SlurmState::kFailed);
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].name == "signal");
  CHECK(entries[0].severity == v1::NODE_ENTRY_SEVERITY_WARNING);
  CHECK(entries[0].text.text.find("11") != std::string::npos);
}

// An array of which some tasks end.
struct EndedTasksOnNodes : EndedJobOnNodes {
  EndedTasksOnNodes() : EndedJobOnNodes({"n1"}) {
    job.array = JobArray{.total = 10, .running = 10};
    now = job;
  }
  void End(uint32_t task, const std::string& node, int exit_code) {
    SlurmJob& record = records.emplace_back(slurm);
    record.task = task;
    record.nodes = {node};
    record.state = SlurmState::kFailed;
    record.exit_code = exit_code;
    now.array->ended[v1::JOB_END_FAILED].Add(task);
  }
  std::vector<NodeEntry> New() {
    std::vector<const SlurmJob*> pointers;
    for (const SlurmJob& record : records) pointers.push_back(&record);
    return NewNodeOutcomes(job, now, pointers, cluster);
  }
  Job now;
  std::vector<SlurmJob> records;
};

TEST_CASE("node outcomes: a task whose end is known says nothing again",
          "[backend]") {
  EndedTasksOnNodes tasks;
  CHECK(tasks.New().empty());
  tasks.End(3, "n1", 139);
  CHECK(tasks.New().size() == 1);
  tasks.job = tasks.now;
  CHECK(tasks.New().empty());
  // A task that is not of the array.
  tasks.End(4, "n1", 139);
  tasks.now.array->ended.clear();
  CHECK(tasks.New().empty());
}

TEST_CASE("node outcomes: tasks that end alike on a node are one entry",
          "[backend]") {
  EndedTasksOnNodes tasks;
  for (uint32_t task = 0; task < 8; ++task) {
    tasks.End(task, task < 6 ? "n1" : "n2", 139);
  }
  tasks.End(8, "n1", 3);
  const auto entries = tasks.New();
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].node == "n1");
  CHECK(entries[1].node == "n2");
  CHECK(entries[0].name == "signal");
  CHECK(entries[0].run == "k3v9x2m8q1w7e5r4");
}

}  // namespace
}  // namespace carme::backend
