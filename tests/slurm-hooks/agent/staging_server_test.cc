// An agent that copies data to the job's scratch, and results from there.
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "common/file.h"
#include "tests/slurm-hooks/agent/agent_process.h"
#include "tests/support/status_matchers.h"

namespace carme::agent {
namespace {

using carme::v1::APP_STATE_ENDED;
using carme::v1::APP_STATE_FAILED;
using carme::v1::APP_STATE_STARTING;

constexpr absl::Duration kLong = testing::kWaitTimeout;

// ada's home is real; what is made there goes again.
class Home {
 public:
  Home() {
    Clear();
    std::filesystem::create_directories(path() + "/in");
    REQUIRE_THAT(WriteFile(path() + "/in/data", "words", 0644), IsOk());
    REQUIRE(chown(path().c_str(), kAda, kAda) == 0);
  }
  ~Home() { Clear(); }
  static std::string path() { return "/home/ada/staging-test"; }
  static std::string Read(const std::string& name) {
    return ReadFile(path() + "/" + name).value_or("");
  }

 private:
  static void Clear() {
    std::error_code ignored;
    std::filesystem::remove_all(path(), ignored);
  }
};

void Add(carme::v1::StageCopy* copy, const std::string& from,
         const std::string& to) {
  copy->set_from(from);
  copy->set_to(to);
}

TEST_CASE("staging: reports missing data", "[agent]") {
  const Home home;
  FakeAgentBackend backend;
  AgentProcess agent(backend);
  Add(backend.stage()->add_in(), "staging-test/none", "data");
  agent.Start();
  CHECK(agent.ExitCode(kLong) == 1);
  const std::string detail = backend.LastReport("").detail();
  CHECK(detail.find("not copied to the node") == 0);
  CHECK(detail.find("/home/ada/staging-test/none") != std::string::npos);
  CHECK(backend.LastReport("").state() == APP_STATE_ENDED);
  const carme::v1::TextCode code = backend.LastReport("").detail_code();
  CHECK(code.code() == "AGENT_NOT_COPIED_TO_NODE");
  REQUIRE(code.parameters_size() == 1);
  CHECK(code.parameters(0).name() == "cause");
  // The row of the copying has the reason, too, and comes first: the backend
  // takes nothing about a part of a job that has ended.
  CHECK(backend.LastReport("stage-in").state() == APP_STATE_FAILED);
  CHECK(backend.LastReport("stage-in").detail().find("not copied") == 0);
  CHECK(backend.reports().back().app().empty());
  CHECK(agent.AppPid() == 0);
}

TEST_CASE("staging: refuses destinations outside the scratch directory",
          "[agent]") {
  FakeAgentBackend backend;
  AgentProcess agent(backend);
  Add(backend.stage()->add_in(), "/etc/hostname", "../escaped");
  agent.Start();
  CHECK(agent.ExitCode(kLong) == 1);
  CHECK(backend.LastReport("").detail().find("invalid stage") !=
        std::string::npos);
}

TEST_CASE("staging: data is there before the app, results after the job",
          "[agent]") {
  const Home home;
  FakeAgentBackend backend;
  AgentProcess agent(backend);
  Add(backend.stage()->add_in(), "~/staging-test/in", "data");
  Add(backend.stage()->add_out(), "data", "staging-test/out/data");
  agent.StartAndAwaitReady();
  CHECK(backend.LastReport("stage-in").state() == APP_STATE_ENDED);
  CHECK(backend.LastReport("stage-in").detail().find("1 file, 5 bytes") == 0);
  CHECK(ReadFile(agent.scratch() + "/data/data").value_or("") == "words");
  REQUIRE_THAT(WriteFile(agent.scratch() + "/data/result", "found", 0644),
               IsOk());
  REQUIRE(chown((agent.scratch() + "/data/result").c_str(), kAda, kAda) == 0);

  agent.Signal(SIGTERM);
  CHECK(agent.ExitCode(kLong) == 128 + SIGTERM);
  CHECK(Home::Read("out/data/data") == "words");
  CHECK(Home::Read("out/data/result") == "found");
  CHECK(backend.LastReport("stage-out").state() == APP_STATE_ENDED);
  CHECK(backend.LastReport("").state() == APP_STATE_ENDED);
}

TEST_CASE("staging: results are copied before the walltime's end", "[agent]") {
  const Home home;
  FakeAgentBackend backend;
  AgentProcess agent(backend);
  Add(backend.stage()->add_out(), "data", "staging-test/out/data");
  agent.StartAndAwaitReady();
  REQUIRE_THAT(WriteFile(agent.scratch() + "/data", "found", 0644), IsOk());
  REQUIRE(chown((agent.scratch() + "/data").c_str(), kAda, kAda) == 0);
  agent.Signal(SIGUSR1);
  // The job ends in time and without an error.
  CHECK(agent.ExitCode(kLong) == 0);
  CHECK(Home::Read("out/data") == "found");
  CHECK(backend.LastReport("stage-out").state() == APP_STATE_ENDED);
  CHECK(backend.LastReport("stage-out")
            .detail()
            .find("started before the time limit") != std::string::npos);
}

TEST_CASE("staging: without results a job has all of its walltime", "[agent]") {
  FakeAgentBackend backend;
  AgentProcess agent(backend);
  agent.StartAndAwaitReady();
  agent.Signal(SIGUSR1);
  // What comes second is taken second.
  agent.Signal(SIGTERM);
  CHECK(agent.ExitCode(kLong) == 128 + SIGTERM);
}

TEST_CASE("staging: reports results that cannot be copied", "[agent]") {
  const Home home;
  FakeAgentBackend backend;
  AgentProcess agent(backend);
  Add(backend.stage()->add_out(), "nothing", "staging-test/out");
  agent.StartAndAwaitReady();
  agent.Signal(SIGTERM);
  CHECK(agent.ExitCode(kLong) == 128 + SIGTERM);
  CHECK(backend.LastReport("stage-out").state() == APP_STATE_FAILED);
  CHECK(backend.LastReport("").detail().find(
            "its results were not copied from the node") != std::string::npos);
}

}  // namespace
}  // namespace carme::agent
