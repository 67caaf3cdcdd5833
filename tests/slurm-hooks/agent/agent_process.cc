#include "tests/slurm-hooks/agent/agent_process.h"

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
#include <fstream>
#include <stdexcept>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "common/file.h"
#include "slurm-hooks/agent/job/app_logs.h"
#include "tests/support/signals.h"

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

AgentProcess::AgentProcess(FakeAgentBackend& backend) : backend_(backend) {
  Check(in_cluster, "no cluster");
  const std::string config = absl::StrCat(
      "backend = \"127.0.0.1:", backend.port(), "\"\n",
      "backend_name = \"carme-backend\"\nca = \"", dir_.File("ca.pem"), "\"\n",
      "runtime_directory = \"", dir_.File("jobs"), "\"\n",
      "scratch_directory = \"", dir_.File("scratch"), "\"\n",
      "port_first = 35000\nport_last = 35999\n");
  Check(chmod(dir_.path().c_str(), 0755) == 0 &&
            WriteFile(dir_.File("agent.toml"), config, 0644).ok(),
        "cannot write the configuration");
  WriteAuthorities(backend.ca_pem());
  std::filesystem::copy_file(CARME_TEST_APP, dir_.File("test_app"));
  // ada may not reach the path that they were built in; carme-init lies beside
  // the agent.
  std::filesystem::copy_file(CARME_AGENT, dir_.File("carme-agent"));
  std::filesystem::copy_file(CARME_INIT, dir_.File("carme-init"));
  for (const std::string& parent : {dir_.File("jobs"), dir_.File("scratch")}) {
    const std::string job = parent + "/7";
    Check(mkdir(parent.c_str(), 0755) == 0 && mkdir(job.c_str(), 0700) == 0 &&
              chown(job.c_str(), kAda, kAda) == 0,
          "cannot make the job's directories");
  }
  for (const char* app : {"jupyter", "code"}) {
    std::filesystem::remove(AppLogPath("/home/ada", JobId(kTestJob), app));
  }
  mkdir("/home/ada/.carme", 0700);
  Check(chown("/home/ada/.carme", kAda, kAda) == 0, "cannot make the logs");
  backend.SetCommand(AppCommand());
}

AgentProcess::~AgentProcess() {
  if (pid_ > 0 && exit_code_ < 0) {
    testing::Signal(pid_, SIGKILL);
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

void AgentProcess::WriteAuthorities(const std::string& ca_pem) const {
  Check(WriteFile(dir_.File("ca.pem"), ca_pem, 0644).ok(),
        "cannot write the authorities");
}

void AgentProcess::UseGpuDriver(const std::string& library,
                                const std::string& series,
                                const std::string& gpus) {
  std::filesystem::copy_file(library, dir_.File("libnvidia-ml.so.1"));
  Check(WriteFile(dir_.File("series"), series, 0644).ok(),
        "cannot write the values of GPUs");
  variables_.push_back("LD_LIBRARY_PATH=" + dir_.path());
  variables_.push_back("FAKE_NVML_SERIES=" + dir_.File("series"));
  variables_.push_back("SLURM_JOB_GPUS=" + gpus);
}

void AgentProcess::Start() {
  const std::string program = dir_.File("carme-agent");
  const int log =
      open(dir_.File("log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
  Check(log >= 0 && fchown(log, kAda, kAda) == 0, "cannot open the agent");
  const std::string config = dir_.File("agent.toml");
  pid_ = fork();
  Check(pid_ >= 0, "fork");
  if (pid_ > 0) {
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
  std::vector<char*> environment;
  for (std::string& entry : variables_) environment.push_back(entry.data());
  environment.push_back(nullptr);
  execve(program.c_str(), const_cast<char**>(arguments), environment.data());
  _exit(127);
}

void AgentProcess::StartAndAwaitReady() {
  Start();
  if (!WaitFor([this] { return Reported(carme::v1::APP_STATE_READY); })) {
    throw std::runtime_error("the app is not ready:\n" + Log());
  }
}

std::string AgentProcess::Seen() const {
  return ReadFile(directory() + "/seen").value_or("");
}

std::string AgentProcess::Log() const {
  return ReadFile(dir_.File("log")).value_or("");
}

std::string AgentProcess::AppLog(const std::string& app) const {
  return ReadFile(AppLogPath("/home/ada", JobId(kTestJob), app)).value_or("");
}

bool AgentProcess::Reported(carme::v1::AppState state,
                            const std::string& app) const {
  for (const auto& report : backend_.reports()) {
    if (report.state() == state && report.app() == app) return true;
  }
  return false;
}

bool AgentProcess::Says(const std::string& text) const {
  return Log().find(text) != std::string::npos;
}

pid_t AgentProcess::AppPid(const std::string& app) const {
  pid_t pid = 0;
  std::ifstream file(directory() + "/" + app + ".pid");
  file >> pid;
  return pid;
}

void AgentProcess::Signal(int number) const { testing::Signal(pid_, number); }

int AgentProcess::ExitCode(absl::Duration timeout) {
  WaitFor(
      [this] {
        int state = 0;
        if (exit_code_ < 0 && waitpid(pid_, &state, WNOHANG) == pid_) {
          exit_code_ =
              WIFSIGNALED(state) ? 128 + WTERMSIG(state) : WEXITSTATUS(state);
        }
        return exit_code_ >= 0;
      },
      timeout);
  return exit_code_;
}

}  // namespace carme::agent
