// A job over both nodes of the cluster: one agent, one node agent.
#include <catch2/catch.hpp>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/file.h"
#include "slurm-hooks/nodes/ssh_files.h"
#include "tests/slurm-hooks/agent/agent_process.h"
#include "tests/slurm-hooks/agent/slurm/slurm_fixture.h"
#include "tests/support/status_matchers.h"

namespace carme::agent {
namespace {

using testing::kWaitTimeout;

constexpr char kTwoNodes[] = "-N 2 -n 2 -w n1,n2 -C carme";

bool Ready(const FakeAgentBackend& backend) {
  return WaitFor(
             [&] {
               return backend.LastReport("jupyter").state() ==
                          carme::v1::APP_STATE_READY ||
                      backend.LastReport("").state() ==
                          carme::v1::APP_STATE_ENDED;
             },
             kWaitTimeout) &&
         backend.LastReport("jupyter").state() == carme::v1::APP_STATE_READY;
}

std::string EndOf(const FakeAgentBackend& backend) {
  const bool ended = WaitFor(
      [&] {
        return backend.LastReport("").state() == carme::v1::APP_STATE_ENDED;
      },
      kWaitTimeout);
  return ended ? backend.LastReport("").detail() : "the job has not ended";
}

// A job on both nodes whose app is ready.
struct TwoNodeJob {
  TwoNodeJob() {
    backend.SetCommand({site.app(), "{socket}", "{dir}/seen"});
    id = site.Submit(kTwoNodes);
    const bool ready = Ready(backend);
    INFO(AgentSlurmFixture::Log());
    REQUIRE(ready);
  }

  FakeAgentBackend backend{"carme-backend", "10.77.0.1", 9444};
  const AgentSlurmFixture site{backend, {"n1", "n2"}};
  std::string id;
};

// What a program in the environment of the first node sees, without its dots.
std::string VariableOf(const std::string& text, const std::string& name) {
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    if (line.substr(0, name.size() + 1) == name + "=") {
      return std::string(line.substr(name.size() + 1));
    }
  }
  return "";
}

// How many processes of ada's are on a node.
std::string Count(const std::string& node) {
  return OnNode(node, "pgrep -u ada | grep -c ''");
}

TEST_CASE("agent on two nodes: reports the node that cannot enter", "[agent]") {
  FakeAgentBackend backend("carme-backend", "10.77.0.1", 9444);
  const AgentSlurmFixture site(backend, {"n1", "n2"});
  backend.SetCommand({site.app(), "{socket}", "{dir}/seen"});
  AgentSlurmFixture::RemoveNode("n2");
  const std::string job = site.Submit(kTwoNodes);
  const std::string detail = EndOf(backend);
  INFO(AgentSlurmFixture::Log());
  CHECK(detail.find("connection to the other nodes of the job lost") !=
        std::string::npos);
  CHECK(detail.find("n2") != std::string::npos);
  CHECK(JobEnded(job));
}

TEST_CASE("agent on two nodes: kill -9 of the agent leaves no process",
          "[agent]") {
  const TwoNodeJob running;
  REQUIRE(Count("n2") != "0");
  OnNode("n1", "pkill -KILL -u ada -x carme-agent");
  CHECK(JobEnded(running.id));
  for (const char* node : {"n1", "n2"}) {
    INFO(node);
    CHECK(WaitFor([&] { return Count(node) == "0"; }, kWaitTimeout));
    CHECK(WaitFor(
        [&] { return OnNode(node, "ls /run/carme/jobs | grep -c ''") == "0"; },
        kWaitTimeout));
  }
  CHECK(Output("sinfo -h -o %T").find("drain") == std::string::npos);
}

TEST_CASE("agent on two nodes: reports a node agent that was killed",
          "[agent]") {
  const TwoNodeJob running;
  // The kernel cuts the names of processes after 15 characters.
  OnNode("n2", "pkill -KILL -u ada -x carme-node-agen");
  CHECK(EndOf(running.backend)
            .find("connection to the other nodes of the job lost") !=
        std::string::npos);
  CHECK(JobEnded(running.id));
}

// The job returns node n2 to Slurm. scontrol leaves a script where it is
// called.
void Shrink(const std::string& job) {
  Output(absl::StrCat(
      "cd /home/ada && runuser -u ada -- scontrol update jobid=", job,
      " numnodes=1; rm -f slurm_job_*_resize.*"));
  REQUIRE(Output("squeue -h -o %N -j " + job) == "n1");
}

TEST_CASE("agent on two nodes: goes on when the job has returned a node",
          "[agent]") {
  TwoNodeJob running;
  const std::string directory = "/run/carme/jobs/" + running.id;
  REQUIRE(WaitFor([&] { return running.backend.own_job().nodes_size() == 2; },
                  kWaitTimeout));
  // Nothing of the job runs there.
  CHECK(WaitFor(
      [&] {
        return running.backend.returnable_nodes() ==
               std::vector<std::string>{"n2"};
      },
      kWaitTimeout));
  REQUIRE(Count("n2") != "0");
  REQUIRE(OnNode("n2", "ls /run/carme/jobs") == running.id);
  const std::string app = OnNode("n1", "cat " + directory + "/jupyter.pid");
  Shrink(running.id);
  // The backend, and with it linked jobs, get the node that is left.
  CHECK(WaitFor([&] { return running.backend.own_job().nodes_size() == 1; },
                kWaitTimeout));
  INFO(AgentSlurmFixture::Log());
  CHECK(running.backend.own_job().nodes(0).name() == "n1");
  CHECK(OnNode("n1", "cat " + directory + "/hostfile").find("n2") ==
        std::string::npos);
  CHECK(OnNode("n1", "cat " + directory + "/machinefile") == "n1");
  const std::string env = OnNode("n1", "cat " + directory + "/env");
  for (const char* line : {"NNODES='1'", "NODE_RANK='0'", "CARME_NODES='n1'",
                           "MASTER_ADDR='10.77.0.11'", "SLURM_NNODES='1'",
                           "SLURM_JOB_NODELIST='n1'"}) {
    INFO(line);
    CHECK(env.find(absl::StrCat("export ", line, "\n")) != std::string::npos);
  }
  // The Epilog of the returned node has removed what the job left there.
  CHECK(WaitFor([&] { return OnNode("n2", "ls /run/carme/jobs").empty(); },
                kWaitTimeout));
  CHECK(Count("n2") == "0");
  // The app is the same process, and responds.
  CHECK(OnNode("n1", "cat " + directory + "/jupyter.pid") == app);
  CHECK(OnNode("n1", absl::StrCat("curl -s -o /dev/null -w '%{http_code}' "
                                  "--unix-socket ",
                                  directory, "/jupyter.sock http://app/")) ==
        "200");
  // A step of the job sees the nodes that are left.
  CHECK(OnNode("n1",
               absl::StrCat("runuser -u ada -- env CARME_ENV=", directory,
                            "/env /opt/carme/libexec/carme/bin/srun printenv "
                            "SLURM_NNODES NNODES")) == "1\n1");
  CHECK(running.backend.LastReport("").state() != carme::v1::APP_STATE_ENDED);
  CHECK(Output("squeue -h -o %T -j " + running.id) == "RUNNING");
  // Node n2 is free for others.
  CHECK(Output("srun -Q -w n2 --exclusive hostname").find("error") ==
        std::string::npos);
  Output("runuser -u ada -- scancel " + running.id);
  CHECK(JobEnded(running.id));
}

TEST_CASE(
    "agent on two nodes: a batch job can return a node without programs, and "
    "goes on",
    "[agent]") {
  FakeAgentBackend backend("carme-backend", "10.77.0.1", 9444);
  const AgentSlurmFixture site(backend, {"n1", "n2"});
  carme::v1::BatchPlan* plan = backend.MakeBatch();
  plan->set_command("sleep 300");
  const std::string id = site.Submit(kTwoNodes);
  const bool returnable = WaitFor(
      [&] {
        return backend.returnable_nodes() == std::vector<std::string>{"n2"};
      },
      kWaitTimeout);
  INFO(AgentSlurmFixture::Log());
  REQUIRE(returnable);
  Shrink(id);
  CHECK(WaitFor([&] { return OnNode("n2", "ls /run/carme/jobs").empty(); },
                kWaitTimeout));
  CHECK(backend.LastReport("").state() == carme::v1::APP_STATE_READY);
  CHECK(Output("squeue -h -o %T -j " + id) == "RUNNING");
  Output("runuser -u ada -- scancel " + id);
  CHECK(JobEnded(id));
}

// A job on more nodes than this cluster has keeps the step of its node agents.
TEST_CASE("slurm: a step goes on without the task of a returned node",
          "[agent]") {
  const std::string log = "/home/ada/step.log";
  const std::string script = "/home/ada/step.sh";
  REQUIRE_THAT(
      WriteFile(script,
                "#!/bin/sh\nexport SLURM_WAIT=1 SLURM_KILL_BAD_EXIT=1\n"
                "exec srun --quiet --overlap --mem=0 --mpi=none "
                "--kill-on-bad-exit=0 --wait=0 --ntasks-per-node=1 "
                "sh -c 'while echo $SLURMD_NODENAME; do sleep 1; done'\n",
                0755),
      IsOk());
  const std::string job = Output(
      absl::StrCat("runuser -u ada -- sbatch --parsable -D /home/ada -o ", log,
                   " -N 2 -n 2 -w n1,n2 ", script));
  const auto lines = [&](const std::string& line) {
    return std::stoi(Output(
        absl::StrCat("cat ", log, " 2>/dev/null | grep -c '^", line, "$'")));
  };
  REQUIRE(WaitFor([&] { return lines("n1") > 0 && lines("n2") > 0; },
                  kWaitTimeout));
  Shrink(job);
  CHECK(WaitFor([&] { return lines("srun: error: n2: task 1: Killed") == 1; },
                kWaitTimeout));
  const int before = lines("n1");
  CHECK(WaitFor([&] { return lines("n1") > before + 3; }, kWaitTimeout));
  Output("scancel " + job);
  CHECK(JobEnded(job));
  Output(absl::StrCat("rm -f ", log, " ", script));
}

TEST_CASE(
    "agent over two nodes: an environment that ends on the other ends the job, "
    "named",
    "[agent]") {
  const TwoNodeJob running;
  OnNode("n2", "pkill -KILL -u ada -x carme-init");
  CHECK(EndOf(running.backend).find("node n2: the environment ended") !=
        std::string::npos);
  CHECK(JobEnded(running.id));
}

TEST_CASE("agent on two nodes: programs find the list of nodes", "[agent]") {
  FakeAgentBackend backend("carme-backend", "10.77.0.1", 9444);
  const AgentSlurmFixture site(backend, {"n1", "n2"});
  backend.SetCommand({"/bin/sh", "-c",
                      "env > \"$2.new\"; mv \"$2.new\" \"$2.env\"; "
                      "exec \"$0\" \"$1\" \"$2\"",
                      site.app(), "{socket}", "{dir}/seen"});
  const std::string job =
      site.Submit(absl::StrCat(kTwoNodes, " --gres=gpu:1 -c 1"));
  const bool ready = Ready(backend);
  INFO(AgentSlurmFixture::Log());
  REQUIRE(ready);
  const std::string directory = "/run/carme/jobs/" + job;
  const std::string seen = OnNode("n1", "cat " + directory + "/seen.env");
  INFO(seen);
  CHECK(VariableOf(seen, "NNODES") == "2");
  CHECK(VariableOf(seen, "NODE_RANK") == "0");
  CHECK(VariableOf(seen, "MASTER_ADDR") == "10.77.0.11");
  CHECK(VariableOf(seen, "MASTER_PORT").size() >= 4);
  CHECK(VariableOf(seen, "CARME_NODES") == "n1 n2");
  CHECK(VariableOf(seen, "CARME_GPUS") == "n1:0 n2:0");
  CHECK(VariableOf(seen, "CARME_ENV") == directory + "/env");
  for (const char* node : {"n1", "n2"}) {
    INFO(node);
    CHECK(OnNode(node, "cat " + directory + "/hostfile") ==
          "n1 slots=1\nn2 slots=1");
    CHECK(OnNode(node, "cat " + directory + "/machinefile") == "n1\nn2");
    CHECK(OnNode(node, "stat -c '%U %a' " + directory + "/env") == "ada 600");
    CHECK(OnNode(node, "stat -c '%U %a' " + directory + "/ssh") == "ada 700");
    CHECK(OnNode(node, "stat -c '%a' " + directory + "/ssh/id") == "600");
    CHECK(OnNode(node, "stat -c '%a' " + directory + "/ssh/host_key") == "600");
  }
  const std::string there = OnNode(
      "n2", absl::StrCat("sh -c '. ", directory,
                         "/env; echo $NODE_RANK $MASTER_ADDR $SLURMD_NODENAME "
                         "$SLURM_JOB_ID $SLURM_NNODES'"));
  CHECK(there == absl::StrCat("1 10.77.0.11 n2 ", job, " 2"));

  const std::string srun = absl::StrCat(
      "runuser -u ada -- env CARME_ENV=", directory,
      "/env NODE_RANK=7 SLURM_JOB_ID=1 /opt/carme/libexec/carme/bin/srun ");
  for (const char* option : {"--jobid=1", "--task-prolog=/bin/true", "-p debug",
                             "--output=/tmp/there"}) {
    INFO(option);
    CHECK(OnNode("n1", absl::StrCat(srun, option, " id"))
              .find("is not available inside a job") != std::string::npos);
  }
  const std::string tasks =
      OnNode("n1", srun + "-N 2 -n 2 --label printenv SLURM_JOB_ID NODE_RANK");
  INFO(tasks);
  for (const std::string& line :
       {"0: " + job, "1: " + job, std::string("0: 0"), std::string("1: 1")}) {
    CHECK(absl::StrCat("\n", tasks, "\n").find("\n" + line + "\n") !=
          std::string::npos);
  }
  // What MPI programs need; a variable of the caller's is none of a step's.
  const std::string pmi =
      OnNode("n1", "env PMIX_RANK=7 " + srun +
                       "-N 2 -n 2 --label printenv PMIX_RANK PMIX_MCA_gds");
  INFO(pmi);
  for (const char* line : {"0: 0", "1: 1", "0: hash", "1: hash"}) {
    CHECK(absl::StrCat("\n", pmi, "\n").find(absl::StrCat("\n", line, "\n")) !=
          std::string::npos);
  }
  CHECK(OnNode("n1", srun + "-N 2 -n 2 --mpi=none id").find("warning") ==
        std::string::npos);
  CHECK(OnNode("n1", srun + "-N 1 -n 1 sh -c 'exit 9'; echo $?") == "9");
  Output("runuser -u ada -- scancel " + job);
  CHECK(JobEnded(job));
}

// Another job of the user's, on a node that is not there.
carme::v1::LinkedJob Elsewhere() {
  carme::v1::LinkedJob other;
  other.set_job_id("otherotherother2");
  carme::v1::LinkedNode& node = *other.add_nodes();
  node.set_name("n9");
  node.set_address("10.77.0.19");
  node.set_cpus(3);
  node.set_ssh_port(40022);
  const auto keys = node::NewSshKeys("other");
  other.set_user_key(keys->user_public());
  other.set_host_key(keys->host_public());
  other.set_master_port(40000);
  return other;
}

TEST_CASE("agent on two nodes: adds and removes nodes of a linked job",
          "[agent]") {
  FakeAgentBackend backend("carme-backend", "10.77.0.1", 9444);
  const AgentSlurmFixture site(backend, {"n1", "n2"});
  backend.SetCommand({site.app(), "{socket}", "{dir}/seen"});
  const std::string job = site.Submit(absl::StrCat(kTwoNodes, " -c 1"));
  const bool ready = Ready(backend);
  INFO(AgentSlurmFixture::Log());
  REQUIRE(ready);
  CHECK(WaitFor([&] { return backend.own_job().nodes_size() == 2; },
                kWaitTimeout));
  carme::v1::LinkedJobs linked;
  linked.add_jobs();  // the job itself
  *linked.add_jobs() = Elsewhere();
  backend.SetLinkedJobs(linked);
  const std::string directory = "/run/carme/jobs/" + job;
  const std::string own = "n1 slots=1\nn2 slots=1";
  for (const char* node : {"n1", "n2"}) {
    INFO(node);
    CHECK(WaitFor(
        [&] {
          return OnNode(node, "cat " + directory + "/hostfile") ==
                 own + "\nn9 slots=3";
        },
        kWaitTimeout));
    // The last that is written.
    std::string env;
    CHECK(WaitFor(
        [&] {
          env = OnNode(node, "cat " + directory + "/env");
          return env.find("export NNODES='3'") != std::string::npos;
        },
        kWaitTimeout));
    CHECK(env.find("export CARME_OWN_NODES='n1 n2'") != std::string::npos);
    CHECK(OnNode(node, "grep -c . " + directory + "/ssh/authorized_keys") ==
          "2");
  }
  linked.mutable_jobs()->RemoveLast();
  backend.SetLinkedJobs(linked);
  for (const char* node : {"n1", "n2"}) {
    INFO(node);
    CHECK(WaitFor(
        [&] { return OnNode(node, "cat " + directory + "/hostfile") == own; },
        kWaitTimeout));
    CHECK(WaitFor(
        [&] {
          return OnNode(node, "grep -c . " + directory +
                                  "/ssh/authorized_keys") == "1";
        },
        kWaitTimeout));
  }
  Output("runuser -u ada -- scancel " + job);
  CHECK(JobEnded(job));
}

TEST_CASE(
    "agent of a linked job: ready when nodes are configured, ends with the "
    "other job",
    "[agent]") {
  FakeAgentBackend backend("carme-backend", "10.77.0.1", 9444);
  const AgentSlurmFixture site(backend, {"n2"});
  backend.MakeLinkedJob();
  const std::string job = site.Submit("-w n2 -C carme -c 1");
  CHECK(WaitFor([&] { return backend.own_job().nodes_size() == 1; },
                kWaitTimeout));
  INFO(AgentSlurmFixture::Log());
  CHECK(backend.own_job().nodes(0).name() == "n2");
  CHECK(backend.reports().empty());  // not linked yet
  carme::v1::LinkedJobs linked;
  *linked.add_jobs() = Elsewhere();
  linked.add_jobs();
  backend.SetLinkedJobs(linked);
  CHECK(WaitFor(
      [&] {
        return backend.LastReport("").state() == carme::v1::APP_STATE_READY;
      },
      kWaitTimeout));
  const std::string env = OnNode("n2", "cat /run/carme/jobs/" + job + "/env");
  for (const char* line : {"NODE_RANK='1'", "MASTER_ADDR='10.77.0.19'",
                           "MASTER_PORT='40000'", "CARME_NODES='n9 n2'"}) {
    INFO(line);
    CHECK(env.find(absl::StrCat("export ", line, "\n")) != std::string::npos);
  }
  backend.SetLinkedJobs({});
  CHECK(EndOf(backend) == "the job that it was linked to has ended");
  CHECK(JobEnded(job));
}

}  // namespace
}  // namespace carme::agent
