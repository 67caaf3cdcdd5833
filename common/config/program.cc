#include "common/config/program.h"

#include <signal.h>
#include <sysexits.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "absl/strings/str_split.h"
#include "common/concurrency/deadlock_detection.h"
#include "common/config/config.h"
#include "common/journal.h"

namespace carme {
namespace {

std::string& Name() {
  static std::string name = "carme";
  return name;
}

[[noreturn]] void PrintHelp(std::string_view default_config,
                            std::string_view about,
                            HealthCheckFlag health_check) {
  const bool checks_health = health_check == HealthCheckFlag::kOffered;
  std::printf(
      "%s\n\nUsage: %s [--config FILE] [--check-config]%s\n\n"
      "  --config FILE   configuration (default %s)\n"
      "  --check-config  read the configuration, report every error, end\n"
      "%s"
      "  --version       print the version, end\n"
      "  --help          print this, end\n",
      std::string(about).c_str(), Name().c_str(),
      checks_health ? " [--health-check]" : "",
      std::string(default_config).c_str(),
      checks_health ? "  --health-check  ask the running program at "
                      "metrics_listen for its health, end\n"
                    : "");
  std::exit(0);
}

[[noreturn]] void WrongUse(std::string_view argument) {
  std::fprintf(stderr, "%s: unexpected \"%s\": see %s --help\n", Name().c_str(),
               std::string(argument).c_str(), Name().c_str());
  std::exit(2);
}

sigset_t StopSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGINT);
  return set;
}

}  // namespace

ProgramFlags ParseFlags(int argc, char** argv, std::string_view default_config,
                        std::string_view about, const std::string& libraries,
                        HealthCheckFlag health_check) {
  DisableDeadlockDetection();
  if (argc > 0) {
    const char* slash = std::strrchr(argv[0], '/');
    Name() = slash != nullptr ? slash + 1 : argv[0];
  }
  ProgramFlags flags{.config_path = std::string(default_config)};
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--config" && i + 1 < argc) {
      flags.config_path = argv[++i];
    } else if (argument == "--check-config") {
      flags.check_only = true;
    } else if (argument == "--health-check" &&
               health_check == HealthCheckFlag::kOffered) {
      flags.health_check = true;
    } else if (argument == "--version") {
      std::printf("%s %s\n", Name().c_str(), CARME_VERSION);
      if (!libraries.empty()) std::printf("%s\n", libraries.c_str());
      std::exit(0);
    } else if (argument == "--help") {
      PrintHelp(default_config, about, health_check);
    } else {
      WrongUse(argument);
    }
  }
  OpenJournal();
  return flags;
}

int FailStart(const absl::Status& status) {
  for (absl::string_view line : absl::StrSplit(status.message(), '\n')) {
    std::fprintf(stderr, "%s: %s\n", Name().c_str(), std::string(line).c_str());
  }
  return IsNotConfigured(status) ? EX_CONFIG : 1;
}

void BlockStopSignals() {
  signal(SIGPIPE, SIG_IGN);
  const sigset_t set = StopSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

int WaitForStopSignal() {
  const sigset_t set = StopSignals();
  int number = 0;
  while (sigwait(&set, &number) != 0) {
  }
  return number;
}

int WaitForStopSignal(absl::Duration timeout) {
  const sigset_t set = StopSignals();
  const timespec max = absl::ToTimespec(timeout);
  const int number = sigtimedwait(&set, nullptr, &max);
  return number > 0 ? number : 0;
}

}  // namespace carme
