// An agent from the app's start to its end.
#include <signal.h>

#include <catch2/catch.hpp>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/file.h"
#include "tests/slurm-hooks/agent/agent_process.h"
#include "tests/slurm-hooks/agent/proxy_connection.h"
#include "tests/support/signals.h"
#include "tests/support/status_matchers.h"

namespace carme::agent {
namespace {

using carme::v1::APP_STATE_ENDED;
using carme::v1::APP_STATE_FAILED;
using carme::v1::APP_STATE_READY;
using carme::v1::APP_STATE_UNAVAILABLE;

bool IsGone(pid_t pid) {
  return WaitFor([pid] { return !testing::Signal(pid, 0); });
}

std::string PreambleFor(const FakeAgentBackend& backend,
                        const std::string& app) {
  carme::v1::Grant grant = FakeAgentBackend::GoodGrant();
  grant.set_app(app);
  return backend.Preamble(grant);
}

TEST_CASE("agent: ends the job with the message of an app that fails to start",
          "[agent]") {
  FakeAgentBackend backend;
  AgentProcess agent(backend);
  backend.SetCommand(agent.AppCommand("fail"));
  agent.Start();
  CHECK(agent.ExitCode() == 3);
  CHECK(backend.LastReport("").state() == APP_STATE_ENDED);
  CHECK(backend.LastReport("").detail() ==
        "the app ended with exit code 3: no licence left");
  // What a page needs to write it in another language.
  const carme::v1::TextCode code = backend.LastReport("").detail_code();
  CHECK(code.code() == "AGENT_WITH_LAST_LINE");
  REQUIRE(code.parameters_size() == 2);
  CHECK(code.parameters(0).code().code() == "AGENT_APP_ENDED");
  CHECK(code.parameters(0).code().parameters(0).value() == "3");
  CHECK(code.parameters(1).value() == "no licence left");
  CHECK(agent.AppLog() == "no licence left\n");
}

TEST_CASE("agent: probes an app below its base path", "[agent]") {
  FakeAgentBackend backend;
  AgentProcess agent(backend);
  std::vector<std::string> command = agent.AppCommand("below");
  command.push_back("{base}");
  backend.SetCommand(command);
  backend.SetBasePath("/abcdefgh23456789/");
  agent.StartAndAwaitReady();
  CHECK(backend.LastReport("jupyter").state() == APP_STATE_READY);
}

TEST_CASE("agent: restarts the job's own app", "[agent]") {
  FakeAgentBackend backend;
  AgentProcess agent(backend);
  agent.StartAndAwaitReady();
  ProxyConnection first(backend.agent_port(), backend.Proxy());
  first.Write(backend.Preamble() + "hello");
  REQUIRE(first.Read(5) == "hello");
  const pid_t pid = agent.AppPid();
  testing::Signal(pid, SIGKILL);
  CHECK(first.IsClosed());
  REQUIRE(WaitFor([&] { return agent.AppPid() != pid; }));
  ProxyConnection second(backend.agent_port(), backend.Proxy());
  second.Write(backend.Preamble() + "again");
  CHECK(second.Read(5) == "again");
  CHECK(backend.LastReport("").state() != APP_STATE_ENDED);
}

TEST_CASE(
    "agent: a job that begins is in use, and no person's input is made up",
    "[agent]") {
  FakeAgentBackend backend;
  AgentProcess agent(backend);
  agent.StartAndAwaitReady();
  REQUIRE(WaitFor([&] { return backend.use().has_work_s(); }));
  CHECK_FALSE(backend.use().has_input_s());
  CHECK_FALSE(backend.use().has_kernel_s());
}

TEST_CASE("agent: stops restarting an app that keeps dying", "[agent]") {
  FakeAgentBackend backend;
  AgentProcess agent(backend);
  backend.SetCommand(agent.AppCommand("mortal"));
  agent.StartAndAwaitReady();
  // A connection that comes while the app is dying may reach nothing.
  REQUIRE(WaitFor([&] {
    ProxyConnection connection(backend.agent_port(), backend.Proxy());
    connection.Write(backend.Preamble() + "die");
    CHECK(connection.IsClosed());
    return agent.Says("app not restarted");
  }));
  REQUIRE(WaitFor([&] {
    return backend.LastReport("jupyter").state() == APP_STATE_FAILED;
  }));
  CHECK(backend.LastReport("jupyter").detail() ==
        "the app ended with exit code 9: it was sent to death");
  ProxyConnection late(backend.agent_port(), backend.Proxy());
  late.Write(backend.Preamble() + "hello");
  CHECK(late.IsClosed());
}

TEST_CASE("agent: refuses a grant for an unknown app", "[agent]") {
  FakeAgentBackend backend;
  AgentProcess agent(backend);
  agent.StartAndAwaitReady();
  ProxyConnection connection(backend.agent_port(), backend.Proxy());
  connection.Write(PreambleFor(backend, "code") + "hello");
  CHECK(connection.IsClosed());
}

TEST_CASE("agent: starts another app when it is first opened", "[agent]") {
  FakeAgentBackend backend;
  AgentProcess agent(backend);
  carme::v1::AppPlan* code = backend.AddApp("code");
  for (const std::string& word : agent.AppCommand("late")) {
    code->add_command(word);
  }
  agent.StartAndAwaitReady();
  CHECK(agent.AppPid("code") == 0);
  ProxyConnection connection(backend.agent_port(), backend.Proxy());
  connection.Write(PreambleFor(backend, "code") + "hello");
  CHECK(connection.Read(5) == "hello");
  CHECK(agent.AppPid("code") > 0);
  CHECK(WaitFor([&] { return agent.Reported(APP_STATE_READY, "code"); }));
}

TEST_CASE(
    "agent: an app whose required file is missing is unavailable until "
    "it exists",
    "[agent]") {
  FakeAgentBackend backend;
  AgentProcess agent(backend);
  const std::string file = agent.directory() + "/web-app";
  carme::v1::AppPlan* web = backend.AddApp("web");
  for (const std::string& word : agent.AppCommand()) web->add_command(word);
  web->set_requires_file(file);
  agent.StartAndAwaitReady();
  REQUIRE(
      WaitFor([&] { return agent.Reported(APP_STATE_UNAVAILABLE, "web"); }));
  CHECK(backend.LastReport("web").detail() ==
        absl::StrCat("\"", file, "\" does not exist"));
  ProxyConnection refused(backend.agent_port(), backend.Proxy());
  refused.Write(PreambleFor(backend, "web"));
  CHECK(refused.IsClosed());

  REQUIRE_THAT(WriteFile(file, "#!/bin/sh\n", 0755), IsOk());
  REQUIRE(WaitFor([&] { return agent.Reported(APP_STATE_ENDED, "web"); }));
  ProxyConnection opened(backend.agent_port(), backend.Proxy());
  opened.Write(PreambleFor(backend, "web") + "hello");
  CHECK(opened.Read(5) == "hello");
}

TEST_CASE("agent: the end of another app does not end the job", "[agent]") {
  FakeAgentBackend backend;
  AgentProcess agent(backend);
  carme::v1::AppPlan* code = backend.AddApp("code");
  for (const std::string& word : agent.AppCommand("fail")) {
    code->add_command(word);
  }
  agent.StartAndAwaitReady();
  ProxyConnection connection(backend.agent_port(), backend.Proxy());
  connection.Write(PreambleFor(backend, "code") + "hello");
  CHECK(connection.IsClosed());
  REQUIRE(WaitFor(
      [&] { return backend.LastReport("code").state() == APP_STATE_FAILED; }));
  CHECK(backend.LastReport("code").detail() ==
        "the app ended with exit code 3: no licence left");
  ProxyConnection own(backend.agent_port(), backend.Proxy());
  own.Write(backend.Preamble() + "hello");
  CHECK(own.Read(5) == "hello");
}

TEST_CASE("agent: the app ends with the agent", "[agent]") {
  FakeAgentBackend backend;
  AgentProcess agent(backend);
  backend.SetCommand(agent.AppCommand("stubborn"));
  agent.StartAndAwaitReady();
  agent.Signal(SIGKILL);
  CHECK(agent.ExitCode() == 128 + SIGKILL);
  CHECK(IsGone(agent.AppPid()));
}

TEST_CASE("agent: kills an app that ignores SIGTERM", "[agent]") {
  FakeAgentBackend backend;
  AgentProcess agent(backend);
  backend.SetCommand(agent.AppCommand("stubborn"));
  agent.StartAndAwaitReady();
  const absl::Time start = absl::Now();
  agent.Signal(SIGTERM);
  CHECK(agent.ExitCode() == 128 + SIGTERM);
  CHECK(absl::Now() - start < absl::Seconds(20));  // Slurm kills after 30
  CHECK(agent.Says("an app did not end: killed"));
  CHECK(IsGone(agent.AppPid()));
}

TEST_CASE("agent: sessions continue while the backend is unavailable",
          "[agent]") {
  FakeAgentBackend backend;
  AgentProcess agent(backend);
  agent.StartAndAwaitReady();
  backend.Stop();
  ProxyConnection connection(backend.agent_port(), backend.Proxy());
  connection.Write(backend.Preamble() + "hello");
  CHECK(connection.Read(5) == "hello");
  agent.Signal(SIGTERM);
  CHECK(agent.ExitCode() == 128 + SIGTERM);
  CHECK(agent.Says("end of the job not reported"));
}

TEST_CASE("agent: registers again and repeats its reports when asked to",
          "[agent]") {
  FakeAgentBackend backend;
  AgentProcess agent(backend);
  agent.StartAndAwaitReady();
  const pid_t app = agent.AppPid();
  backend.RequestRegistration();
  CHECK(WaitFor([&] {
    return backend.LastReport("jupyter").state() == carme::v1::APP_STATE_READY;
  }));
  CHECK(backend.registrations() == 2);
  CHECK(agent.AppPid() == app);
}

TEST_CASE("agent: SIGTERM stops the app and is reported", "[agent]") {
  FakeAgentBackend backend;
  AgentProcess agent(backend);
  agent.StartAndAwaitReady();
  agent.Signal(SIGTERM);
  CHECK(agent.ExitCode() == 128 + SIGTERM);
  CHECK_FALSE(agent.Says("killed"));
  CHECK(IsGone(agent.AppPid()));
  CHECK(backend.LastReport("").state() == APP_STATE_ENDED);
  CHECK(backend.LastReport("").detail() == "stopped");
}

TEST_CASE("agent: an app is ready when it responds, not when it is started",
          "[agent]") {
  FakeAgentBackend backend;
  AgentProcess agent(backend);
  backend.SetCommand(agent.AppCommand("late"));
  agent.StartAndAwaitReady();
  CHECK(backend.LastReport("jupyter").state() == APP_STATE_READY);
  CHECK(agent.Seen().empty());
}

}  // namespace
}  // namespace carme::agent
