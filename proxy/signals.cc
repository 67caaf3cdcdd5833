#include "proxy/signals.h"

#include <malloc.h>

#include <chrono>
#include <csignal>
#include <ctime>
#include <memory>

#include "absl/strings/str_cat.h"
#include "common/log.h"
#include "common/program.h"

namespace carme::proxy {
namespace {

constexpr timespec kLookEvery = {0, 500'000'000};
constexpr timespec kLookAtSuccessor = {0, 20'000'000};
constexpr int kLooksPerCertificate = 4;
constexpr int kLooksPerTrim = 60;

sigset_t Signals() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR2}) sigaddset(&set, signal);
  return set;
}

// glibc keeps the memory of closed connections until it is asked.
class Trimmer {
 public:
  void Look(int now) {
    if (now < before_) malloc_trim(0);
    before_ = now;
  }

 private:
  int before_ = 0;
};

std::unique_ptr<Successor> StartSuccessor(const Legacy& legacy) {
  legacy.prepare();
  auto started = Successor::Start(legacy.started, legacy.sockets);
  if (!started.ok()) {
    LogError("no new process, this one goes on",
             {{"why", started.status().ToString()}});
    return nullptr;
  }
  LogInfo("upgrade begins", {{"program", legacy.started.program}});
  return *std::move(started);
}

}  // namespace

void BlockSignals() {
  BlockStopSignals();
  const sigset_t set = Signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

Ended ServeUntilStopped(ProxyServer& server, const Legacy& legacy) {
  const sigset_t set = Signals();
  Trimmer trimmer;
  std::unique_ptr<Successor> successor;
  for (int looks = 0;; ++looks) {
    const int signal = sigtimedwait(
        &set, nullptr, successor != nullptr ? &kLookAtSuccessor : &kLookEvery);
    if (signal == SIGTERM || signal == SIGINT) {
      if (successor != nullptr) successor->Kill();
      return Ended::kStopped;
    }
    server.KeepTime();
    server.KeepMemory();
    // SIGHUP is for administrators who do not want to wait.
    if (signal == SIGHUP || looks % kLooksPerCertificate == 0) {
      server.KeepCertificate();
    }
    if (signal == SIGHUP) server.ReopenLog();
    if (looks % kLooksPerTrim == 0) trimmer.Look(server.connections());
    if (signal == SIGUSR2 && successor == nullptr) {
      successor = StartSuccessor(legacy);
    }
    if (successor == nullptr) continue;
    switch (successor->Look()) {
      case Successor::Word::kNone:
        break;
      case Successor::Word::kReady:
        // systemd believes only the process that it knows.
        NotifySupervisor(absl::StrCat("MAINPID=", successor->pid()));
        LogInfo("handed over", {{"to", successor->pid()}});
        return Ended::kHandedOver;
      case Successor::Word::kFailed:
        LogError("the new process did not get ready, this one goes on");
        successor.reset();
    }
  }
}

void ServeUntilLeft(ProxyServer& server, absl::Duration patience) {
  const sigset_t set = Signals();
  Trimmer trimmer;
  // Hours in which somebody may set the clock.
  const auto latest =
      std::chrono::steady_clock::now() + absl::ToChronoMilliseconds(patience);
  for (int looks = 1; server.connections() > 0; ++looks) {
    if (std::chrono::steady_clock::now() >= latest) return;
    const int signal = sigtimedwait(&set, nullptr, &kLookEvery);
    if (signal == SIGTERM || signal == SIGINT) return;
    server.KeepTime();
    if (looks % kLooksPerTrim != 0) continue;
    trimmer.Look(server.connections());
    // Nobody tells this process that the file was rotated.
    server.ReopenLog();
  }
}

}  // namespace carme::proxy
