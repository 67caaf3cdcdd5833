#include "tests/support/servers/frontend_process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>

#include "absl/strings/str_cat.h"
#include "common/file.h"
#include "tests/support/signals.h"
#include "tests/support/wait_for.h"

namespace carme {

FrontendProcess::FrontendProcess(const std::string& backends) {
  const std::string config = dir_.File("frontend.toml");
  const std::string text =
      absl::StrCat("listen = \"127.0.0.1:", port(),
                   "\"\nportal = \"https://carme.test\"\nweb_root = \"",
                   dir_.File("web"), "\"\n", backends);
  std::filesystem::create_directory(dir_.File("web"));
  if (!WriteFile(config, text, 0600).ok() ||
      !WriteFile(dir_.File("web/index.html"), "<head></head>", 0600).ok()) {
    throw std::runtime_error("cannot write the configuration");
  }
  const std::string log = dir_.File("log");
  pid_ = fork();
  if (pid_ == 0) {
    dup2(open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    execl(CARME_FRONTEND_PROGRAM, CARME_FRONTEND_PROGRAM, "--config",
          config.c_str(), nullptr);
    _exit(127);
  }
  const bool serves = testing::WaitFor(
      [this] { return Log().find("info serving") != std::string::npos; });
  if (!serves) {
    throw std::runtime_error("the frontend does not start:\n" + Log());
  }
}

FrontendProcess::~FrontendProcess() {
  testing::Signal(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

std::string FrontendProcess::Log() const {
  return ReadFile(dir_.File("log")).value_or("");
}

}  // namespace carme
