// The whole life of a job in real Slurm: Prolog, agent, Epilog. It needs the
// programs installed where the cluster's nodes see them.
#include <catch2/catch.hpp>
#include <string>

#include "common/file.h"
#include "tests/slurm-hooks/agent/agent_process.h"
#include "tests/slurm-hooks/agent/slurm/slurm_fixture.h"

namespace carme::agent {
namespace {

TEST_CASE("agent in Slurm: from the Prolog to the Epilog", "[agent]") {
  FakeAgentBackend backend("carme-backend", "10.77.0.1", 9444);
  const AgentSlurmFixture site(backend, {"n1"});
  backend.SetCommand({site.app(), "{socket}", "{dir}/seen"});

  const std::string job = site.Submit("-w n1 -C carme");
  INFO("job " << job);
  const bool ready = WaitFor([&] {
    return backend.LastReport("jupyter").state() == carme::v1::APP_STATE_READY;
  });
  INFO(ReadFile("/home/ada/agent.log").value_or("no log"));
  REQUIRE(ready);
  CHECK(backend.uids() == std::set<uint32_t>{kAda});
  CHECK(backend.agent_port() >= 34000);
  const std::string directory = "/run/carme/jobs/" + job;
  const std::string scratch = "/run/carme/scratch/" + job;
  CHECK(OnNode("n1", "stat -c '%U %a' " + directory) == "ada 700");
  CHECK(OnNode("n1", "stat -c '%U %a' " + scratch) == "ada 700");

  Output("runuser -u ada -- scancel " + job);
  CHECK(WaitFor([&] {
    return backend.LastReport("").state() == carme::v1::APP_STATE_ENDED;
  }));
  CHECK(JobEnded(job));
  CHECK(WaitFor(
      [&] { return OnNode("n1", "ls /run/carme/jobs | grep -c ''") == "0"; }));
  CHECK(WaitFor([&] {
    return OnNode("n1", "ls /run/carme/scratch | grep -c ''") == "0";
  }));
  CHECK(Output("sinfo -h -n n1 -o %T").find("drain") == std::string::npos);
}

// As the impersonator has Slurm do it ahead of the walltime's end.
TEST_CASE("agent in Slurm: copies its results before its time limit",
          "[agent]") {
  FakeAgentBackend backend("carme-backend", "10.77.0.1", 9444);
  const AgentSlurmFixture site(backend, {"n1"});
  backend.SetCommand({site.app(), "{socket}", "{dir}/seen"});
  carme::v1::StageCopy* const results = backend.stage()->add_out();
  results->set_from("found");
  results->set_to("early-result");
  const std::string job = site.Submit("-w n1 -C carme");
  INFO("job " << job);
  REQUIRE(WaitFor([&] {
    return backend.LastReport("jupyter").state() == carme::v1::APP_STATE_READY;
  }));
  OnNode("n1", "runuser -u ada -- sh -c 'echo 42 > /run/carme/scratch/" + job +
                   "/found'");
  Output("runuser -u ada -- scancel --batch --signal=USR1 " + job);
  CHECK(JobEnded(job));
  INFO(AgentSlurmFixture::Log());
  CHECK(Output("scontrol -o show job " + job).find("JobState=COMPLETED") !=
        std::string::npos);
  CHECK(ReadFile("/home/ada/early-result").value_or("") == "42\n");
  OnNode("n1", "rm -f /home/ada/early-result");
}

TEST_CASE("agent in Slurm: a job without the feature gets no directory",
          "[agent]") {
  FakeAgentBackend backend("carme-backend", "10.77.0.1", 9444);
  const AgentSlurmFixture site(backend, {"n1"});
  const std::string job = site.Submit("-w n1");
  CHECK(JobEnded(job));
  CHECK(backend.registrations() == 0);
  CHECK(ReadFile("/home/ada/agent.log")
            .value_or("")
            .find("prolog must run on this node") != std::string::npos);
}

}  // namespace
}  // namespace carme::agent
