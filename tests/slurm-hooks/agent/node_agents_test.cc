// Node agents of three other nodes. Scripts in the place of srun and squeue
// print what the test writes; the events are those of carme-node-agent.
#include "slurm-hooks/agent/multi_node/node_agents.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "common/file.h"
#include "common/unique_fd.h"
#include "slurm-hooks/agent/multi_node/slurm_allocation.h"
#include "slurm-hooks/nodes/node_agent_messages.h"
#include "tests/support/status_matchers.h"
#include "tests/support/temp_dir.h"
#include "tests/support/wait_for.h"

namespace carme::agent {
namespace {

using Names = std::vector<std::string>;

TEST_CASE("slurm allocation: an answer without the job is an error",
          "[agent]") {
  for (const char* output :
       {"", "\n", "8 RUNNING n1\n", "7\n", "7 RUNNING\n", "7 RUNNING n[1\n",
        "slurm_load_jobs error: Unable to contact slurm controller\n"}) {
    INFO(output);
    CHECK_THAT(ParseAllocation(output, "7"),
               StatusIs(absl::StatusCode::kUnavailable));
  }
}

TEST_CASE("slurm allocation: a job that ends has no nodes", "[agent]") {
  for (const char* state : {"COMPLETING", "CANCELLED", "PENDING", "FAILED"}) {
    INFO(state);
    const auto nodes =
        ParseAllocation(absl::StrCat("7 ", state, " n[1-2]\n"), "7");
    REQUIRE_THAT(nodes, IsOk());
    CHECK(nodes->empty());
  }
}

TEST_CASE("slurm allocation: the nodes of this job, not of another task",
          "[agent]") {
  const auto nodes =
      ParseAllocation("6 RUNNING n9\n7 RUNNING n[1-2],m\n8 RUNNING n8\n", "7");
  REQUIRE_THAT(nodes, IsOk());
  CHECK(*nodes == Names{"n1", "n2", "m"});
}

TEST_CASE("slurm allocation: other messages of srun name no ended tasks",
          "[agent]") {
  for (const char* line :
       {"", "srun: error: ", "srun: n2: task 1: Killed",
        "srun: error: n2: task", "srun: error: n[2: task 1: Killed",
        "srun: error: Unable to create step for job 7: busy",
        "srun: error: rm -r /: task 1: Killed",
        "n1: srun: error: n2: task 1: Killed"}) {
    INFO(line);
    CHECK(NodesOfEndedTasks(line).empty());
  }
}

TEST_CASE("slurm allocation: srun names the nodes of ended tasks", "[agent]") {
  CHECK(NodesOfEndedTasks("srun: error: n2: task 1: Killed") == Names{"n2"});
  CHECK(NodesOfEndedTasks("srun: error: n[2-3]: tasks 1-2: Exited with exit "
                          "code 1") == Names{"n2", "n3"});
}

UniqueFd NewFifo(const std::string& path) {
  REQUIRE(mkfifo(path.c_str(), 0600) == 0);
  return UniqueFd(open(path.c_str(), O_RDWR | O_CLOEXEC));
}

void Write(const UniqueFd& fd, const std::string& text) {
  REQUIRE(write(fd.get(), text.data(), text.size()) ==
          static_cast<ssize_t>(text.size()));
}

struct ThreeNodes {
  explicit ThreeNodes(absl::Duration slurm_timeout = absl::Minutes(5)) {
    WriteScript("srun",
                "exec 3< DIR/out 4< DIR/err\necho \"$*\" >> DIR/calls\n"
                "cat <&3 &\ncat <&4 >&2 &\nexec 3<&- 4<&-\nwait\n"
                "exit 3\n");
    WriteScript("squeue", "echo \"$*\" > DIR/question\nexec cat DIR/answer\n");
    facts.environment.srun = dir.File("srun");
    facts.environment.programs = "/nowhere";
    facts.variables = {"PATH=/usr/bin:/bin", "SLURM_JOB_ID=7",
                       "SLURM_JOB_NODELIST=n[1-4]", "SQUEUE_USERS=eve"};
    auto started = NodeAgents::Start(
        *loop, facts, {.first_node = "n1", .slurm_timeout = slurm_timeout}, {},
        {.ready =
             [this](const std::vector<node::v1::JobNode>& nodes) {
               Names names;
               for (const auto& node : nodes) names.push_back(node.name());
               ready.push_back(absl::StrJoin(names, " "));
             },
         .configured = [this] { ++configured; },
         .returned = [this] { ++returned; },
         .samples =
             [this](const carme::v1::NodeSamples& samples) {
               sampled.push_back(samples.node());
             },
         .failed =
             [this](const DisplayText& detail) {
               failures.push_back(detail.text);
             }});
    REQUIRE_THAT(started, IsOk());
    agents = *std::move(started);
  }

  void WriteScript(const std::string& name, std::string text) const {
    for (size_t at = 0; (at = text.find("DIR")) != std::string::npos;) {
      text.replace(at, 3, dir.path());
    }
    REQUIRE_THAT(WriteFile(dir.File(name), "#!/bin/sh\n" + text, 0700), IsOk());
  }
  void Answer(const std::string& text) const {
    REQUIRE_THAT(WriteFile(dir.File("answer"), text, 0600), IsOk());
  }
  std::string Read(const std::string& name) const {
    return ReadFile(dir.File(name)).value_or("");
  }
  void SendReady(uint32_t rank, const std::string& name) const {
    node::v1::NodeAgentEvent event;
    event.mutable_ready()->set_rank(rank);
    event.mutable_ready()->set_name(name);
    Write(out, node::LineOf(event));
  }
  void SendConfigured(uint32_t rank) const {
    node::v1::NodeAgentEvent event;
    event.mutable_peers_configured()->set_rank(rank);
    Write(out, node::LineOf(event));
  }
  void SendSamples(const std::string& name) const {
    node::v1::NodeAgentEvent event;
    event.mutable_samples()->set_node(name);
    Write(out, node::LineOf(event));
  }
  void AllReady() const {
    SendReady(1, "n2");
    SendReady(2, "n3");
    SendReady(3, "n4");
  }
  // Ends srun.
  void Close() {
    out.reset();
    err.reset();
  }

  // In turn: waits until the condition is true, then acts. Once.
  using Step = std::pair<std::function<bool()>, std::function<void()>>;
  void Run(std::vector<Step> steps) {
    loop->Spawn(Take(std::move(steps)));
    loop->Run();
    REQUIRE(finished);
  }
  net::Task<void> Take(std::vector<Step> steps) {
    const absl::Time deadline = absl::Now() + testing::kWaitTimeout;
    size_t next = 0;
    while (next < steps.size() && absl::Now() < deadline) {
      const int stopped = co_await net::Sleep(*loop, absl::Milliseconds(50));
      if (stopped != 0) co_return;
      agents->OnChild();
      if (steps[next].first()) steps[next++].second();
    }
    finished = next == steps.size();
    loop->Stop();
  }

  TempDir dir;
  UniqueFd out = NewFifo(dir.File("out"));
  UniqueFd err = NewFifo(dir.File("err"));
  JobFacts facts;
  std::unique_ptr<net::EventLoop> loop = net::EventLoop::Create().value();
  std::unique_ptr<NodeAgents> agents;
  std::vector<std::string> ready, sampled, failures;
  int configured = 0;
  int returned = 0;
  bool finished = false;
};

constexpr auto kNow = [] { return true; };
constexpr auto kNothing = [] {};

TEST_CASE("node agents: a lost node that is still the job's fails, named",
          "[agent]") {
  ThreeNodes job;
  job.Answer("7 RUNNING n[1-4]\n");
  job.Run({{kNow, [&] { job.AllReady(); }},
           {[&] { return job.ready.size() == 1; },
            [&] { Write(job.err, "srun: error: n3: task 1: Killed\n"); }},
           {[&] { return !job.failures.empty(); }, kNothing}});
  CHECK(job.returned == 0);
  REQUIRE(job.failures.size() == 1);
  CHECK(job.failures[0].find("srun: error: n3: task 1: Killed") !=
        std::string::npos);
  CHECK(job.ready == Names{"n2 n3 n4"});
}

TEST_CASE("node agents: the reason of a node agent is that of the failure",
          "[agent]") {
  ThreeNodes job;
  job.Answer("7 RUNNING n[1-4]\n");
  job.Run({{kNow,
            [&] {
              node::v1::NodeAgentEvent event;
              event.mutable_failed()->set_node("n3");
              event.mutable_failed()->set_detail("the environment ended");
              Write(job.err,
                    "srun: error: n3: task 1: Exited with exit code "
                    "1\n");
              Write(job.out, node::LineOf(event));
            }},
           {[&] { return !job.failures.empty(); }, kNothing}});
  CHECK(job.failures == Names{"node n3: the environment ended"});
}

TEST_CASE("node agents: the end of srun fails a job that has its nodes",
          "[agent]") {
  ThreeNodes job;
  job.Answer("7 RUNNING n[1-2]\n");  // one is left
  job.Run({{kNow, [&] { job.AllReady(); }},
           {[&] { return job.ready.size() == 1; }, [&] { job.Close(); }},
           {[&] { return !job.failures.empty(); }, kNothing}});
  CHECK(job.returned == 0);
}

TEST_CASE("node agents: fails when Slurm does not respond in time", "[agent]") {
  ThreeNodes job(absl::Milliseconds(1500));  // and squeue has no answer
  job.Run({{kNow, [&] { job.AllReady(); }},
           {[&] { return job.ready.size() == 1; },
            [&] { Write(job.err, "srun: error: n3: task 1: Killed\n"); }},
           {[&] { return !job.failures.empty(); }, kNothing}});
  CHECK(job.failures.at(0).find("Slurm did not say") != std::string::npos);
  CHECK(job.returned == 0);
}

TEST_CASE(
    "node agents: a job with its own parallel file system returns no node",
    "[agent]") {
  ThreeNodes job;
  job.facts.environment.storage = "/data/beeond/7";
  job.Answer("7 RUNNING n[1-2,4]\n");
  job.Run({{kNow, [&] { job.AllReady(); }},
           {[&] { return job.ready.size() == 1; },
            [&] { Write(job.err, "srun: error: n3: task 1: Killed\n"); }},
           {[&] { return !job.failures.empty(); }, kNothing}});
  CHECK(job.returned == 0);
  CHECK(job.failures.at(0).find("n3 was returned to Slurm") == 0);
}

TEST_CASE("node agents: the job goes on without a node that it has returned",
          "[agent]") {
  ThreeNodes job;
  job.Run({{kNow, [&] { job.AllReady(); }},
           {[&] { return job.ready.size() == 1; },
            [&] { Write(job.err, "srun: error: n3: task 1: Killed\n"); }},
           // Slurm does not respond at first.
           {[&] { return !job.Read("question").empty(); },
            [&] { job.Answer("7 RUNNING n[1-2,4]\n"); }},
           {[&] { return job.ready.size() == 2; },
            [&] {
              job.agents->ConfigurePeers({});
              job.SendSamples("n3");
              job.SendSamples("n4");
              job.SendConfigured(1);
              job.SendConfigured(2);  // late
            }},
           {[&] { return !job.sampled.empty(); },
            [&] {
              CHECK(job.configured == 0);
              job.SendConfigured(3);
            }},
           {[&] { return job.configured == 1; }, kNothing}});
  CHECK(job.ready == Names{"n2 n3 n4", "n2 n4"});
  CHECK(job.returned == 1);
  CHECK(job.agents->count() == 2);
  CHECK(job.sampled == Names{"n4"});
  CHECK(job.failures.empty());
  CHECK(job.Read("question") ==
        "--noheader --states=all --jobs=7 --format=%A %T %N\n");
}

TEST_CASE("node agents: a node is returned while a list is sent", "[agent]") {
  ThreeNodes job;
  job.Answer("7 RUNNING n[1-3]\n");
  job.Run({{kNow, [&] { job.AllReady(); }},
           {[&] { return job.ready.size() == 1; },
            [&] {
              job.agents->ConfigurePeers({});
              job.SendConfigured(1);
              job.SendConfigured(2);
              Write(job.err, "srun: error: n4: task 2: Killed\n");
            }},
           {[&] { return job.configured == 1; }, kNothing}});
  CHECK(job.ready == Names{"n2 n3 n4", "n2 n3"});
  CHECK(job.failures.empty());
}

TEST_CASE("node agents: a node is returned before it was ready", "[agent]") {
  ThreeNodes job;
  job.Answer("7 RUNNING n[1-3]\n");
  job.Run({{kNow,
            [&] {
              job.SendReady(1, "n2");
              job.SendReady(2, "n3");
              Write(job.err, "srun: error: n4: task 2: Killed\n");
            }},
           {[&] { return !job.ready.empty(); }, kNothing}});
  CHECK(job.ready == Names{"n2 n3"});
  CHECK(job.failures.empty());
}

TEST_CASE("node agents: the last other nodes are returned, and srun ends",
          "[agent]") {
  ThreeNodes job;
  job.Answer("7 RUNNING n1\n");
  job.Run({{kNow, [&] { job.AllReady(); }},
           {[&] { return job.ready.size() == 1; }, [&] { job.Close(); }},
           {[&] { return job.ready.size() == 2; },
            [&] { job.agents->ConfigurePeers({}); }},
           {[&] { return job.configured == 1; }, kNothing}});
  CHECK(job.ready == Names{"n2 n3 n4", ""});
  CHECK(job.agents->count() == 0);
  CHECK(job.failures.empty());
}

TEST_CASE("node agents: start again on fewer nodes if srun found fewer",
          "[agent]") {
  ThreeNodes job;
  job.Answer("7 RUNNING n[1-3]\n");
  job.Run({{[&] { return !job.Read("calls").empty(); },
            [&] {
              job.Close();
              unlink(job.dir.File("out").c_str());
              unlink(job.dir.File("err").c_str());
              job.out = NewFifo(job.dir.File("out"));
              job.err = NewFifo(job.dir.File("err"));
            }},
           {[&] { return job.returned == 1; },
            [&] {
              job.SendReady(1, "n2");
              job.SendReady(2, "n3");
            }},
           {[&] { return !job.ready.empty(); }, kNothing}});
  CHECK(job.ready == Names{"n2 n3"});
  CHECK(job.failures.empty());
  const std::vector<std::string> calls =
      absl::StrSplit(job.Read("calls"), '\n', absl::SkipEmpty());
  REQUIRE(calls.size() == 2);
  CHECK(calls[0].find("--kill-on-bad-exit=0 --wait=0 ") != std::string::npos);
  CHECK(calls[0].find("--nodes=3 --ntasks=3 --exclude=n1") !=
        std::string::npos);
  CHECK(calls[1].find("--nodes=2 --ntasks=2 --exclude=n1 --nodelist=n2,n3") !=
        std::string::npos);
}

}  // namespace
}  // namespace carme::agent
