#include "proxy/signals.h"

#include <malloc.h>

#include <csignal>
#include <ctime>

#include "common/log.h"
#include "common/program.h"

namespace carme::proxy {
namespace {

constexpr timespec kTrimEvery = {30, 0};

sigset_t Signals() {
  sigset_t set;
  sigemptyset(&set);
  for (int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&set, signal);
  return set;
}

}  // namespace

void BlockSignals() {
  BlockStopSignals();
  const sigset_t set = Signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

void ServeUntilStopped(ProxyServer& server) {
  const sigset_t set = Signals();
  int connections = 0;
  for (;;) {
    const int signal = sigtimedwait(&set, nullptr, &kTrimEvery);
    if (signal == SIGTERM || signal == SIGINT) return;
    if (signal == SIGHUP) {
      const absl::Status reloaded = server.ReloadCertificate();
      if (reloaded.ok()) {
        LogInfo("certificate read again");
      } else {
        LogError("certificate not read, the old one stays",
                 {{"why", reloaded.ToString()}});
      }
      continue;
    }
    // glibc keeps the memory of closed connections until it is asked.
    if (server.connections() < connections) malloc_trim(0);
    connections = server.connections();
  }
}

}  // namespace carme::proxy
