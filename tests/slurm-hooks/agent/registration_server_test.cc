#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "common/file.h"
#include "tests/slurm-hooks/agent/agent_process.h"
#include "tests/support/status_matchers.h"

namespace carme::agent {
namespace {

TEST_CASE("registration: without a runtime directory the job ends", "[agent]") {
  FakeAgentBackend backend;
  AgentProcess agent(backend);
  REQUIRE(rmdir(agent.directory().c_str()) == 0);
  agent.Start();
  CHECK(agent.ExitCode() == 1);
  CHECK(agent.Says("prolog must run on this node"));
  CHECK(backend.registrations() == 0);
  CHECK(backend.LastReport("").state() == carme::v1::APP_STATE_ENDED);
  CHECK(backend.LastReport("").detail().find("prolog must run") !=
        std::string::npos);
}

TEST_CASE(
    "registration: reports the reason of the Prolog if the file is root's",
    "[agent]") {
  FakeAgentBackend backend;
  AgentProcess agent(backend);
  const std::string reason = agent.directory() + ".failed";
  REQUIRE(rmdir(agent.directory().c_str()) == 0);
  REQUIRE_THAT(WriteFile(reason, "the disk has no room", 0644), IsOk());
  SECTION("root's") {
    agent.Start();
    CHECK(agent.ExitCode() == 1);
    CHECK(backend.LastReport("").detail() == "the disk has no room");
  }
  SECTION("another's") {
    REQUIRE(chown(reason.c_str(), kBob, kBob) == 0);
    agent.Start();
    CHECK(agent.ExitCode() == 1);
    CHECK(backend.LastReport("").detail().find("prolog must run") !=
          std::string::npos);
  }
}

TEST_CASE("registration: a runtime directory that others may enter ends it",
          "[agent]") {
  FakeAgentBackend backend;
  AgentProcess agent(backend);
  REQUIRE(chmod(agent.directory().c_str(), 0755) == 0);
  agent.Start();
  CHECK(agent.ExitCode() == 1);
  CHECK(agent.Says("expected owner 20001 and mode 0700"));
  CHECK(backend.registrations() == 0);
}

TEST_CASE("registration: a rejection ends the job", "[agent]") {
  FakeAgentBackend backend;
  backend.RefuseNext({absl::PermissionDeniedError("job 7 is not yours")});
  AgentProcess agent(backend);
  agent.Start();
  CHECK(agent.ExitCode() == 1);
  CHECK(agent.Says("job 7 is not yours"));
  CHECK(backend.registrations() == 1);
  CHECK(agent.AppPid() == 0);
}

TEST_CASE("registration: sends nothing to another server than the backend",
          "[agent]") {
  FakeAgentBackend impostor("carme-frontend");
  AgentProcess agent(impostor);
  agent.Start();
  CHECK(WaitFor([&] { return agent.Says("no connection to"); }));
  CHECK(impostor.registrations() == 0);
  agent.Signal(SIGTERM);
  CHECK(agent.ExitCode() == 128 + SIGTERM);
  CHECK(agent.AppPid() == 0);
}

TEST_CASE("registration: a command that cannot be started is reported",
          "[agent]") {
  FakeAgentBackend backend;
  AgentProcess agent(backend);
  backend.SetCommand({"/nonexistent/app"});
  agent.Start();
  CHECK(agent.ExitCode() == 127);
  CHECK(backend.LastReport("").state() == carme::v1::APP_STATE_ENDED);
  CHECK(backend.LastReport("").detail() ==
        "start \"/nonexistent/app\": No such file or directory");
}

// gRPC gets on with a handshake only while a call waits for it: calls that
// failed at once never found a backend that came back.
TEST_CASE("registration: waits for a backend that starts late", "[agent]") {
  FakeAgentBackend backend;
  AgentProcess agent(backend);
  backend.Stop();
  agent.Start();
  CHECK(agent.ExitCode(absl::Seconds(3)) == -1);
  backend.Restart();
  CHECK(WaitFor([&] { return !backend.reports().empty(); }));
}

TEST_CASE("registration: retries while the backend is unavailable", "[agent]") {
  FakeAgentBackend backend;
  backend.RefuseNext({absl::UnavailableError("no Slurm"),
                      absl::DeadlineExceededError("slow")});
  AgentProcess agent(backend);
  agent.StartAndAwaitReady();
  // munged refuses a credential that it has decoded before, so three taken
  // requests are three credentials.
  CHECK(backend.registrations() == 3);
  CHECK(backend.uids() == std::set<uint32_t>{kAda});
}

}  // namespace
}  // namespace carme::agent
