#include "tests/proxy/proxy_program.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "common/file.h"
#include "tests/support/signals.h"

namespace carme::testing {

ProxyProgram::ProxyProgram(const std::vector<std::string>& arguments,
                           const std::string& log, const Options& options)
    : log_(log) {
  // As a service manager is: who takes over is nobody else's child.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  pid_ = fork();
  if (pid_ != 0) return;
  int out = open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  dup2(out, 1);
  dup2(out, 2);
  if (options.listener >= 0) {
    dup2(options.listener, 3);
    setenv("LISTEN_FDS", "1", 1);
    setenv("LISTEN_PID", std::to_string(getpid()).c_str(), 1);
  }
  for (const auto& [name, value] : options.environment) {
    setenv(name.c_str(), value.c_str(), 1);
  }
  if (options.descriptors > 0) {
    const auto most = static_cast<rlim_t>(options.descriptors);
    const rlimit limit{most, most};
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  if (!options.control_group.empty()) {
    const int group = open((options.control_group + "/cgroup.procs").c_str(),
                           O_WRONLY | O_CLOEXEC);
    if (write(group, "0", 1) != 1) _exit(126);
  }
  std::vector<char*> argv = {const_cast<char*>(CARME_PROXY)};
  for (const std::string& argument : arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  execv(CARME_PROXY, argv.data());
  _exit(127);
}

ProxyProgram::~ProxyProgram() {
  Kill();
  for (pid_t heir : heirs_) {
    testing::Signal(heir, SIGKILL);
    waitpid(heir, nullptr, 0);
  }
}

void ProxyProgram::Signal(int number) { testing::Signal(pid_, number); }

int ProxyProgram::ExitCode() {
  int status = 0;
  if (!WaitFor([&] { return waitpid(pid_, &status, WNOHANG) == pid_; })) {
    return -1;
  }
  pid_ = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

void ProxyProgram::Kill() {
  if (pid_ <= 0) return;
  testing::Signal(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = 0;
}

std::string ProxyProgram::Log() const {
  auto text = ReadFile(log_);
  return text.ok() ? *text : "";
}

bool ProxyProgram::Says(const std::string& text) const {
  return WaitFor([&] { return Log().find(text) != std::string::npos; });
}

pid_t ProxyProgram::Upgrade() {
  constexpr char kWord[] = "handed over to=";
  Signal(SIGUSR2);
  if (!Says(kWord)) return 0;
  const std::string log = Log();
  heirs_.push_back(
      std::atoi(log.c_str() + log.rfind(kWord) + sizeof kWord - 1));
  return heirs_.back();
}

std::string ProgramConfig(const ProxyFixture& fixture, const std::string& top,
                          const std::string& limits) {
  const std::string& path = fixture.directory.path();
  const std::string port = std::to_string(fixture.backend->port());
  std::string text = "portal_host = \"portal.test\"\n";
  text += "jobs_domain = \"jobs.test\"\n";
  text += "listen = \"192.0.2.1:1\"\n";  // nobody's: it is handed over
  text += "state_directory = \"" + path + "\"\n";
  text += "certificate = \"" + path + "/public.pem\"\n";
  text += "key = \"" + path + "/public.key\"\n" + top;
  text += "[frontend]\naddress = \"" + fixture.config.frontend_address + "\"\n";
  text += "[backend]\naddress = \"127.0.0.1:" + port + "\"\n";
  text += "ca = \"" + path + "/ca.pem\"\n";
  text += "certificate = \"" + path + "/proxy.pem\"\n";
  text += "key = \"" + path + "/proxy.key\"\n";
  text += "crl = \"" + path + "/crl.pem\"\n";
  return text + "[limits]\ndrain_timeout_s = 2\n" + limits;
}

}  // namespace carme::testing
