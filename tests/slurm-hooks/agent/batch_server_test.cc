// An agent whose job runs a command or a script instead of apps.
#include <arpa/inet.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "common/file.h"
#include "common/unique_fd.h"
#include "tests/slurm-hooks/agent/agent_process.h"
#include "tests/support/status_matchers.h"

namespace carme::agent {
namespace {

using carme::v1::APP_STATE_ENDED;
using carme::v1::APP_STATE_READY;

// ada's home is real; what is made there goes again.
class Home {
 public:
  Home() {
    Clear();
    std::filesystem::create_directories(path());
    REQUIRE(chown(path().c_str(), kAda, kAda) == 0);
  }
  ~Home() { Clear(); }
  static std::string path() { return "/home/ada/batch-test"; }
  static std::string Read(const std::string& name) {
    return ReadFile(path() + "/" + name).value_or("");
  }
  static void Write(const std::string& name, const std::string& text) {
    REQUIRE_THAT(WriteFile(path() + "/" + name, text, 0644), IsOk());
    REQUIRE(chown((path() + "/" + name).c_str(), kAda, kAda) == 0);
  }

 private:
  static void Clear() {
    std::error_code ignored;
    std::filesystem::remove_all(path(), ignored);
  }
};

class BatchJob {
 public:
  BatchJob() : agent(backend), plan(backend.MakeBatch()) {}
  int Run() {
    agent.Start();
    return agent.ExitCode();
  }
  std::string Detail() const { return backend.LastReport("").detail(); }
  bool Said(const std::string& words) const {
    return Detail().find(words) != std::string::npos;
  }
  const Home home;
  FakeAgentBackend backend;
  AgentProcess agent;
  carme::v1::BatchPlan* const plan;
};

TEST_CASE("batch: reports an invalid script", "[agent]") {
  struct Row {
    const char* script;
    const char* words;
  };
  for (const Row& row :
       {Row{"~/batch-test/none", "read script \"/home/ada/batch-test/none\""},
        Row{"/etc", "not a regular file"},
        Row{"~/batch-test/plain", "does not say what runs it"},
        Row{"~/batch-test/relative", "does not say what runs it"},
        Row{"/etc/shadow", "read script \"/etc/shadow\""}}) {
    INFO(row.script);
    BatchJob job;
    Home::Write("plain", "echo words\n");
    Home::Write("relative", "#!bin/sh\n");
    job.plan->set_script(row.script);
    CHECK(job.Run() == 1);
    CHECK(job.Said(row.words));
    CHECK(job.backend.LastReport("").state() == APP_STATE_ENDED);
  }
}

TEST_CASE("batch: reports directories and files that cannot be opened",
          "[agent]") {
  struct Row {
    const char* directory;
    const char* output;
    const char* words;
  };
  for (const Row& row :
       {Row{"~/none", "", "enter working directory \"/home/ada/none\""},
        Row{"", "/etc/batch-test", "open output file \"/etc/batch-test\""},
        Row{"", "none/out", "open output file \"/home/ada/none/out\""}}) {
    BatchJob job;
    job.plan->set_command("touch ~/batch-test/ran");
    job.plan->set_working_directory(row.directory);
    job.plan->set_output(row.output);
    CHECK(job.Run() == 1);
    INFO(job.Detail());
    CHECK(job.Said(row.words));
    CHECK(!std::filesystem::exists(Home::path() + "/ran"));
  }
}

TEST_CASE("batch: fails when output is lost", "[agent]") {
  BatchJob job;
  job.plan->set_command("echo words");
  job.plan->set_output("/dev/full");
  CHECK(job.Run() == 1);
  CHECK(job.Said("its output is incomplete: write to \"/dev/full\""));
}

TEST_CASE("batch: exits with the exit code of the command", "[agent]") {
  BatchJob job;
  job.plan->set_command("echo from the command; exit 3");
  CHECK(job.Run() == 3);
  // Slurm and its number say it.
  CHECK(job.Detail().empty());
  CHECK(job.backend.LastReport("").state() == APP_STATE_READY);
  CHECK(job.agent.Says("from the command"));
  CHECK(job.backend.follows() == 0);
}

TEST_CASE("batch: exits with 128 plus the signal number", "[agent]") {
  BatchJob job;
  job.plan->set_command("kill -9 $$");
  CHECK(job.Run() == 128 + SIGKILL);
}

TEST_CASE("batch: runs the script as it was at the start", "[agent]") {
  BatchJob job;
  Home::Write("run",
              "#!/usr/bin/env bash\n"
              "rm ~/batch-test/run\n"
              "printf '%s|' \"$@\" > ~/batch-test/arguments\n"
              "pwd > directory\n");
  job.plan->set_script("~/batch-test/run");
  job.plan->add_arguments("-v");
  job.plan->add_arguments("a b");
  job.plan->add_arguments("");
  job.plan->set_working_directory("~/batch-test");
  CHECK(job.Run() == 0);
  CHECK(Home::Read("arguments") == "-v|a b||");
  CHECK(Home::Read("directory") == Home::path() + "\n");
}

TEST_CASE("batch: output goes to its files, and to the log", "[agent]") {
  BatchJob job;
  Home::Write("7-7.out", "of the run before");
  job.plan->set_command("echo one; echo two >&2");
  job.plan->set_working_directory("~/batch-test");
  job.plan->set_output("%j-%A.out");
  job.plan->set_error("100%%.err");
  CHECK(job.Run() == 0);
  CHECK(Home::Read("7-7.out") == "one\n");
  CHECK(Home::Read("100%.err") == "two\n");
  CHECK(job.agent.Says("one\n"));
  CHECK(job.agent.Says("two\n"));
}

TEST_CASE("batch: errors go to the output unless they have a file", "[agent]") {
  BatchJob job;
  job.plan->set_command("echo one; echo two >&2");
  job.plan->set_output("~/batch-test/all");
  CHECK(job.Run() == 0);
  CHECK(Home::Read("all") == "one\ntwo\n");
}

TEST_CASE("batch: ends while another process has the output open", "[agent]") {
  BatchJob job;
  job.plan->set_command("setsid sleep 600 & echo words");
  job.plan->set_output("~/batch-test/out");
  CHECK(job.Run() == 0);
  CHECK(Home::Read("out") == "words\n");
}

TEST_CASE("batch: does not listen on a port", "[agent]") {
  BatchJob job;
  job.plan->set_command("touch ~/batch-test/runs; sleep 600");
  job.agent.Start();
  REQUIRE(
      WaitFor([] { return std::filesystem::exists(Home::path() + "/runs"); }));
  const UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(job.backend.agent_port()));
  CHECK(connect(fd.get(), reinterpret_cast<sockaddr*>(&address),
                sizeof address) != 0);
  job.agent.Signal(SIGTERM);
  CHECK(job.agent.ExitCode() >= 128);
}

TEST_CASE("batch: can write a checkpoint after SIGTERM", "[agent]") {
  BatchJob job;
  job.plan->set_command(
      "trap 'echo saved > ~/batch-test/state; exit 5' TERM; "
      "touch ~/batch-test/runs; while :; do sleep 0.1; done");
  job.agent.Start();
  REQUIRE(
      WaitFor([] { return std::filesystem::exists(Home::path() + "/runs"); }));
  job.agent.Signal(SIGTERM);
  CHECK(job.agent.ExitCode() == 5);
  CHECK(Home::Read("state") == "saved\n");
}

TEST_CASE("batch: fails when ended early for its results", "[agent]") {
  BatchJob job;
  carme::v1::StageCopy* copy = job.backend.stage()->add_out();
  copy->set_from("found");
  copy->set_to("batch-test/found");
  job.plan->set_command(
      "trap 'exit 0' TERM; echo some > $CARME_SCRATCH/found; "
      "touch ~/batch-test/runs; while :; do sleep 0.1; done");
  job.agent.Start();
  REQUIRE(
      WaitFor([] { return std::filesystem::exists(Home::path() + "/runs"); }));
  job.agent.Signal(SIGUSR1);
  CHECK(job.agent.ExitCode() == 1);
  CHECK(job.Said("ended before its time limit"));
  CHECK(Home::Read("found") == "some\n");
}

TEST_CASE("batch: refuses a plan with two programs", "[agent]") {
  BatchJob job;
  job.plan->set_command("touch ~/batch-test/ran");
  job.plan->set_script("/bin/true");
  CHECK(job.Run() == 1);
  CHECK(job.Said("invalid batch: expected a command or a script"));
  CHECK(!std::filesystem::exists(Home::path() + "/ran"));
}

}  // namespace
}  // namespace carme::agent
