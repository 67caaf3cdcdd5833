#include "tests/slurm-hooks/agent_process.h"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/file.h"

namespace carme::agent {
namespace {

// ctest reads 77 as a skip, which Catch has no word for.
const bool in_cluster = [] {
  if (std::getenv("CARME_TEST_CLUSTER") != nullptr) return true;
  std::fputs("skipped: run it in deploy/cluster\n", stderr);
  std::_Exit(77);
}();

void Check(bool good, const char* what) {
  if (!good) throw std::runtime_error(what);
}

}  // namespace

bool WaitFor(const std::function<bool()>& predicate, absl::Duration patience) {
  const absl::Time latest = absl::Now() + patience;
  while (!predicate()) {
    if (absl::Now() > latest) return false;
    absl::SleepFor(absl::Milliseconds(5));
  }
  return true;
}

AgentProcess::AgentProcess(TestBackend& backend) : backend_(backend) {
  Check(in_cluster, "no cluster");
  const std::string config = absl::StrCat(
      "backend = \"127.0.0.1:", backend.port(), "\"\n",
      "backend_name = \"carme-backend\"\nca = \"", dir_.File("ca.pem"), "\"\n",
      "runtime_directory = \"", dir_.File("jobs"), "\"\n",
      "port_first = 35000\nport_last = 35999\n");
  Check(chmod(dir_.path().c_str(), 0755) == 0 &&
            WriteFile(dir_.File("agent.toml"), config, 0644).ok() &&
            WriteFile(dir_.File("ca.pem"), backend.ca_pem(), 0644).ok(),
        "cannot write the configuration");
  std::filesystem::copy_file(CARME_TEST_APP, dir_.File("test_app"));
  Check(mkdir(dir_.File("jobs").c_str(), 0755) == 0 &&
            mkdir(directory().c_str(), 0700) == 0 &&
            chown(directory().c_str(), kAda, kAda) == 0,
        "cannot make the runtime directory");
  backend.SetCommand(AppCommand());
}

AgentProcess::~AgentProcess() {
  if (pid_ > 0 && exit_code_ < 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
}

std::vector<std::string> AgentProcess::AppCommand(
    const std::string& mode) const {
  std::vector<std::string> command = {dir_.File("test_app"), "{socket}",
                                      "{dir}/seen"};
  if (!mode.empty()) command.push_back(mode);
  return command;
}

void AgentProcess::Start() {
  // By descriptor: ada may not reach the path that the program was built in.
  const int program = open(CARME_AGENT, O_RDONLY | O_CLOEXEC);
  const int log =
      open(dir_.File("log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  Check(program >= 0 && log >= 0 && fchown(log, kAda, kAda) == 0,
        "cannot open the agent");
  const std::string config = dir_.File("agent.toml");
  pid_ = fork();
  Check(pid_ >= 0, "fork");
  if (pid_ > 0) {
    close(program);
    close(log);
    return;
  }
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(log, STDOUT_FILENO);
  dup2(log, STDERR_FILENO);
  if (setgroups(0, nullptr) != 0 || setresgid(kAda, kAda, kAda) != 0 ||
      setresuid(kAda, kAda, kAda) != 0) {
    _exit(126);
  }
  const char* const arguments[] = {"carme-agent", "--config", config.c_str(),
                                   nullptr};
  const char* const environment[] = {"SLURM_JOB_ID=7", nullptr};
  fexecve(program, const_cast<char**>(arguments),
          const_cast<char**>(environment));
  _exit(127);
}

void AgentProcess::StartAndAwaitReady() {
  Start();
  if (!WaitFor([this] { return !backend_.reports().empty(); })) {
    throw std::runtime_error("the app is not ready:\n" + Log());
  }
}

std::string AgentProcess::Seen() const {
  return ReadFile(directory() + "/seen").value_or("");
}

std::string AgentProcess::Log() const {
  return ReadFile(dir_.File("log")).value_or("");
}

pid_t AgentProcess::AppPid() const {
  const std::string log = Log();
  const size_t at = log.find("app started pid=");
  if (at == std::string::npos) return 0;
  return std::atoi(log.c_str() + at + 16);
}

void AgentProcess::Signal(int number) const { kill(pid_, number); }

int AgentProcess::ExitCode(absl::Duration patience) {
  WaitFor(
      [this] {
        int state = 0;
        if (exit_code_ < 0 && waitpid(pid_, &state, WNOHANG) == pid_) {
          exit_code_ =
              WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
        }
        return exit_code_ >= 0;
      },
      patience);
  return exit_code_;
}

}  // namespace carme::agent
