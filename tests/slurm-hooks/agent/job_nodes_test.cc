// The node list of a job on one node, whose environment is never entered, so
// that it has no ssh.
#include "slurm-hooks/agent/multi_node/job_nodes.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "common/clock.h"
#include "slurm-hooks/nodes/ssh_files.h"
#include "slurm-hooks/process/children.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"

namespace carme::agent {
namespace {

constexpr char kId[] = "a23456789abcdefg";

JobFacts FactsIn(const std::string& directory) {
  JobFacts facts;
  facts.environment.directory = directory;
  facts.account = {.name = "ada", .home = directory, .shell = "/bin/sh"};
  facts.variables = {"SLURMD_NODENAME=n1", "SLURM_CPUS_ON_NODE=2"};
  facts.address = "127.0.0.1";
  return facts;
}

// A job on node "n2" with its own keys.
carme::v1::LinkedJob OtherJob() {
  node::OwnNodes own{.job = "b23456789abcdefg", .nodes = {}, .master_port = 7};
  node::v1::JobNode node;
  node.set_name("n2");
  node.set_address("127.0.0.2");
  node.set_cpus(3);
  own.nodes.push_back(node);
  return node::BuildLinkedJob(own, node::NewSshKeys("other").value());
}

struct OneNode {
  explicit OneNode(JobPlan job_plan = {}) : plan(std::move(job_plan)) {
    REQUIRE_THAT(nodes.Start(), IsOk());
  }
  std::string Hostfile() const {
    std::ifstream file(dir.File("hostfile"));
    return {std::istreambuf_iterator<char>(file), {}};
  }

  TempDir dir;
  SystemClock clock;
  std::unique_ptr<net::EventLoop> loop = net::EventLoop::Create().value();
  JobFacts facts = FactsIn(dir.path());
  JobPlan plan;
  JobEnvironment environment{*loop, clock, facts, plan.environment, {}};
  int configured = 0;
  std::vector<carme::v1::LinkedJob> reports;
  std::vector<std::string> failures;
  JobNodes nodes{
      {.loop = *loop,
       .environment = environment,
       .facts = facts,
       .plan = plan,
       .job = JobId(kId)},
      {.configured = [this] { ++configured; },
       .report =
           [this](const carme::v1::LinkedJob& job) { reports.push_back(job); },
       .failed =
           [this](const DisplayText& detail) {
             failures.push_back(detail.text);
           }}};
};

TEST_CASE(
    "job nodes: a job with storage or one node, and an array's task, "
    "cannot return nodes",
    "[agent]") {
  JobFacts facts = FactsIn("/run/carme/jobs/7");
  CHECK_FALSE(CanReturnNodes(facts));
  facts.variables.emplace_back("SLURM_JOB_NUM_NODES=2");
  CHECK(CanReturnNodes(facts));
  facts.environment.storage = "/mnt/beeond/7";
  CHECK_FALSE(CanReturnNodes(facts));
  facts.environment.storage = "";
  facts.variables.emplace_back("SLURM_ARRAY_JOB_ID=6");
  CHECK_FALSE(CanReturnNodes(facts));
}

TEST_CASE("job nodes: the programs of a node are the children of one process",
          "[agent]") {
  CHECK(node::ChildrenOf(0).empty());
  const std::set<pid_t> before = node::ChildrenOf(getpid());
  const pid_t child = fork();
  if (child == 0) {
    pause();
    _exit(0);
  }
  REQUIRE(child > 0);
  CHECK_FALSE(before.contains(child));
  CHECK(node::ChildrenOf(getpid()).contains(child));
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  CHECK_FALSE(node::ChildrenOf(getpid()).contains(child));
  CHECK(node::ChildrenOf(child).empty());
}

TEST_CASE("job nodes: linked jobs do nothing before the node is ready",
          "[agent]") {
  OneNode job;
  carme::v1::LinkedJobs linked;
  linked.add_jobs()->set_job_id(kId);
  *linked.add_jobs() = OtherJob();
  job.nodes.SetLinkedJobs(linked);
  CHECK_FALSE(job.nodes.is_configured());
  CHECK(job.configured == 0);
  CHECK(job.reports.empty());
}

TEST_CASE("job nodes: reports its node before it is configured once",
          "[agent]") {
  OneNode job;
  job.nodes.OnEntered();
  CHECK(job.nodes.is_configured());
  CHECK(job.nodes.count() == 1);
  CHECK(job.configured == 1);
  REQUIRE(job.reports.size() == 1);
  CHECK(job.reports[0].job_id() == kId);
  REQUIRE(job.reports[0].nodes_size() == 1);
  CHECK(job.reports[0].nodes(0).name() == "n1");
  CHECK(job.Hostfile() == "n1 slots=2\n");
  CHECK(job.failures.empty());
}

TEST_CASE("job nodes: linked jobs join the list and leave it", "[agent]") {
  OneNode job;
  job.nodes.OnEntered();
  carme::v1::LinkedJobs linked;
  *linked.add_jobs() = job.reports.at(0);
  job.nodes.SetLinkedJobs(linked);  // this job alone
  CHECK(job.configured == 1);
  *linked.add_jobs() = OtherJob();
  job.nodes.SetLinkedJobs(linked);
  CHECK(job.nodes.has_linked_nodes());
  CHECK(job.Hostfile() == "n1 slots=2\nn2 slots=3\n");
  // The node was probed for ssh, and reported again.
  CHECK(job.reports.size() == 2);
  const int configured = job.configured;
  job.nodes.SetLinkedJobs(linked);  // a new stream repeats the list
  CHECK(job.configured == configured);
  linked.mutable_jobs()->RemoveLast();
  job.nodes.SetLinkedJobs(linked);
  CHECK_FALSE(job.nodes.has_linked_nodes());
  CHECK(job.Hostfile() == "n1 slots=2\n");
  CHECK(job.failures.empty());
}

TEST_CASE("job nodes: an invalid list leaves the job with its own nodes",
          "[agent]") {
  OneNode job;
  job.nodes.OnEntered();
  carme::v1::LinkedJobs linked;
  *linked.add_jobs() = job.reports.at(0);
  *linked.add_jobs() = OtherJob();
  linked.mutable_jobs(1)->mutable_nodes(0)->set_name("n1");  // a duplicate
  job.nodes.SetLinkedJobs(linked);
  CHECK_FALSE(job.nodes.has_linked_nodes());
  CHECK(job.Hostfile() == "n1 slots=2\n");
  CHECK(job.failures.empty());
}

TEST_CASE("job nodes: a linked job is probed for ssh at once", "[agent]") {
  JobPlan plan;
  plan.linked_to = "b23456789abcdefg";
  OneNode job(std::move(plan));
  job.nodes.OnEntered();
  CHECK(job.nodes.is_configured());
  REQUIRE(job.reports.size() == 1);
  CHECK(job.reports[0].nodes(0).ssh_port() == 0);
}

}  // namespace
}  // namespace carme::agent
