// An agent from the app's start to its end.
#include <signal.h>

#include <catch2/catch.hpp>

#include "absl/time/clock.h"
#include "tests/slurm-hooks/agent_process.h"
#include "tests/slurm-hooks/proxy_connection.h"

namespace carme::agent {
namespace {

using carme::v1::APP_STATE_ENDED;
using carme::v1::APP_STATE_READY;

bool IsGone(pid_t pid) {
  return WaitFor([pid] { return kill(pid, 0) != 0; });
}

TEST_CASE("agent: an app that fails is reported with its last words",
          "[agent]") {
  TestBackend backend;
  AgentProcess agent(backend);
  backend.SetCommand(agent.AppCommand("fail"));
  agent.Start();
  CHECK(agent.ExitCode() == 3);
  REQUIRE(backend.reports().size() == 1);
  CHECK(backend.reports()[0].state() == APP_STATE_ENDED);
  CHECK(backend.reports()[0].detail() ==
        "the app ended with exit code 3: no licence left");
}

TEST_CASE("agent: an app that is killed is reported, sessions end", "[agent]") {
  TestBackend backend;
  AgentProcess agent(backend);
  agent.StartAndAwaitReady();
  ProxyConnection connection(backend.agent_port(), backend.Proxy());
  connection.Write(backend.Preamble() + "hello");
  REQUIRE(connection.Read(5) == "hello");
  kill(agent.AppPid(), SIGKILL);
  CHECK(agent.ExitCode() == 128 + SIGKILL);
  CHECK(connection.IsClosed());
  REQUIRE(backend.reports().size() == 2);
  CHECK(backend.reports()[1].detail().find("signal 9 (Killed)") !=
        std::string::npos);
}

TEST_CASE("agent: the app ends with the agent", "[agent]") {
  TestBackend backend;
  AgentProcess agent(backend);
  backend.SetCommand(agent.AppCommand("stubborn"));
  agent.StartAndAwaitReady();
  agent.Signal(SIGKILL);
  CHECK(agent.ExitCode() == 128 + SIGKILL);
  CHECK(IsGone(agent.AppPid()));
}

TEST_CASE("agent: a stubborn app is killed within the grace", "[agent]") {
  TestBackend backend;
  AgentProcess agent(backend);
  backend.SetCommand(agent.AppCommand("stubborn"));
  agent.StartAndAwaitReady();
  const absl::Time start = absl::Now();
  agent.Signal(SIGTERM);
  CHECK(agent.ExitCode() == 128 + SIGKILL);
  CHECK(absl::Now() - start < absl::Seconds(5));
  CHECK(IsGone(agent.AppPid()));
}

TEST_CASE("agent: sessions go on while the backend is away", "[agent]") {
  TestBackend backend;
  AgentProcess agent(backend);
  agent.StartAndAwaitReady();
  backend.Stop();
  ProxyConnection connection(backend.agent_port(), backend.Proxy());
  connection.Write(backend.Preamble() + "hello");
  CHECK(connection.Read(5) == "hello");
  agent.Signal(SIGTERM);
  CHECK(agent.ExitCode() == 128 + SIGTERM);
  CHECK(agent.Log().find("the end of the app is not reported") !=
        std::string::npos);
}

TEST_CASE("agent: SIGTERM stops the app and says so", "[agent]") {
  TestBackend backend;
  AgentProcess agent(backend);
  agent.StartAndAwaitReady();
  const absl::Time start = absl::Now();
  agent.Signal(SIGTERM);
  CHECK(agent.ExitCode() == 128 + SIGTERM);
  CHECK(absl::Now() - start < absl::Seconds(2));
  CHECK(IsGone(agent.AppPid()));
  REQUIRE(backend.reports().size() == 2);
  CHECK(backend.reports()[1].state() == APP_STATE_ENDED);
  CHECK(backend.reports()[1].detail() == "stopped");
}

TEST_CASE("agent: ready is when the app answers, not when it is started",
          "[agent]") {
  TestBackend backend;
  AgentProcess agent(backend);
  backend.SetCommand(agent.AppCommand("late"));
  agent.StartAndAwaitReady();
  REQUIRE(backend.reports().size() == 1);
  CHECK(backend.reports()[0].state() == APP_STATE_READY);
  CHECK(agent.Seen().empty());
}

}  // namespace
}  // namespace carme::agent
