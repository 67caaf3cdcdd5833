#include "tests/support/servers/systemd_host.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "common/file.h"
#include "tests/support/signals.h"
#include "tests/support/wait_for.h"

namespace carme::testing {
namespace {

constexpr char kScript[] = CARME_SOURCE "/tests/support/servers/systemd_host";

}  // namespace

bool SystemdHost::Possible() {
  return geteuid() == 0 && access("/lib/systemd/systemd", X_OK) == 0;
}

SystemdHost::~SystemdHost() {
  if (outside_ <= 0) return;
  Signal(outside_, SIGTERM);
  waitpid(outside_, nullptr, 0);
}

void SystemdHost::Boot() {
  std::filesystem::create_directories(directory() + "/units");
  outside_ = fork();
  if (outside_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execl(kScript, kScript, directory().c_str(), nullptr);
    _exit(127);
  }
  const std::string file = directory() + "/pid";
  const bool booted = WaitFor([&] {
    auto pid = ReadFile(file);
    systemd_ = pid.ok() ? std::atoi(pid->c_str()) : 0;
    int status = -1;
    return systemd_ > 1 && Run("systemctl is-active basic.target 2> /dev/null",
                               &status) == "active";
  });
  if (!booted) throw std::runtime_error("systemd did not come up");
}

std::string SystemdHost::Run(const std::string& command, int* status) const {
  const std::string script = directory() + "/command";
  if (!WriteFile(script, command, 0600).ok()) {
    throw std::runtime_error(script);
  }
  const std::string line =
      absl::StrCat("exec nsenter --target ", systemd_,
                   " --mount --pid --uts --ipc --cgroup -- sh ", script);
  FILE* const pipe = popen(line.c_str(), "re");
  if (pipe == nullptr) throw std::runtime_error(line);
  std::string text;
  char part[4096];
  for (size_t size; (size = std::fread(part, 1, sizeof part, pipe)) > 0;) {
    text.append(part, size);
  }
  const int ended = pclose(pipe);
  if (status != nullptr) {
    *status = ended;
  } else if (ended != 0) {
    throw std::runtime_error(
        absl::StrCat(command, ": ended with ", ended, ": ", text));
  }
  return std::string(absl::StripSuffix(text, "\n"));
}

std::string SystemdHost::Property(const std::string& unit,
                                  const std::string& name) const {
  return Run(
      absl::StrCat("systemctl show --value --property=", name, " ", unit));
}

}  // namespace carme::testing
