#include "proxy/server/signals.h"

#include <malloc.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <ctime>
#include <memory>

#include "absl/strings/str_cat.h"
#include "common/config/program.h"
#include "common/log.h"

namespace carme::proxy {
namespace {

constexpr timespec kPollInterval = {0, 500'000'000};
constexpr timespec kChildPollInterval = {0, 20'000'000};
constexpr int kPollsPerCertificateCheck = 4;
constexpr int kPollsPerTrim = 60;

sigset_t Signals() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGUSR2}) {
    sigaddset(&set, signal);
  }
  return set;
}

// glibc returns the memory of closed connections only when it is asked to.
class Trimmer {
 public:
  void Update(int now) {
    if (now < last_) malloc_trim(0);
    last_ = now;
  }

 private:
  int last_ = 0;
};

std::unique_ptr<NewProxyProcess> StartChild(const RestartState& restart_state) {
  if (getpid() == 1) {
    LogError(
        "hot restart failed, this process continues: a container ends with its "
        "first process; replace the container instead");
    return nullptr;
  }
  restart_state.prepare();
  auto started =
      NewProxyProcess::Start(restart_state.started, restart_state.sockets);
  if (!started.ok()) {
    LogError("hot restart failed, this process continues",
             {{"error", started.status().ToString()}});
    return nullptr;
  }
  LogInfo("hot restart started", {{"program", restart_state.started.program}});
  return *std::move(started);
}

}  // namespace

void BlockSignals() {
  BlockStopSignals();
  const sigset_t set = Signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

ServeResult ServeUntilStopped(ProxyServer& server,
                              const RestartState& restart_state) {
  const sigset_t set = Signals();
  Trimmer trimmer;
  std::unique_ptr<NewProxyProcess> child;
  for (int polls = 0;; ++polls) {
    const int signal = sigtimedwait(
        &set, nullptr, child != nullptr ? &kChildPollInterval : &kPollInterval);
    if (signal == SIGTERM || signal == SIGINT) {
      if (child != nullptr) child->Kill();
      return ServeResult::kStopped;
    }
    if (signal == SIGUSR1) {
      if (child != nullptr) child->Kill();
      LogInfo("another process took over");
      return ServeResult::kHandedOver;
    }
    server.CheckClock();
    server.UpdateOverload();
    // SIGHUP checks at once.
    if (signal == SIGHUP || polls % kPollsPerCertificateCheck == 0) {
      server.RefreshCertificates();
    }
    if (signal == SIGHUP) server.ReopenLog();
    if (polls % kPollsPerTrim == 0) trimmer.Update(server.connections());
    if (signal == SIGUSR2 && child == nullptr) {
      child = StartChild(restart_state);
    }
    if (child == nullptr) continue;
    switch (child->Poll()) {
      case NewProxyProcess::Status::kNone:
        break;
      case NewProxyProcess::Status::kReady:
        // systemd accepts this only from the main process.
        NotifySupervisor(absl::StrCat("MAINPID=", child->pid()));
        LogInfo("new process took over", {{"to", child->pid()}});
        return ServeResult::kHandedOver;
      case NewProxyProcess::Status::kFailed:
        LogError(
            "hot restart failed: new process not ready, this process "
            "continues");
        child.reset();
    }
  }
}

void ServeUntilIdle(ProxyServer& server, absl::Duration timeout) {
  const sigset_t set = Signals();
  Trimmer trimmer;
  // Use the monotonic clock: the wall clock may be set meanwhile.
  const auto deadline =
      std::chrono::steady_clock::now() + absl::ToChronoMilliseconds(timeout);
  for (int polls = 1; server.connections() > 0; ++polls) {
    if (std::chrono::steady_clock::now() >= deadline) return;
    const int signal = sigtimedwait(&set, nullptr, &kPollInterval);
    if (signal == SIGTERM || signal == SIGINT) return;
    server.CheckClock();
    if (polls % kPollsPerTrim != 0) continue;
    trimmer.Update(server.connections());
    // The old process gets no signal after a rotation.
    server.ReopenLog();
  }
}

}  // namespace carme::proxy
