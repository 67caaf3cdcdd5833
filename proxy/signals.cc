#include "proxy/signals.h"

#include <malloc.h>

#include <csignal>
#include <ctime>

#include "common/program.h"

namespace carme::proxy {
namespace {

constexpr timespec kLookEvery = {2, 0};
constexpr int kLooksPerTrim = 15;

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
  for (int looks = 0;; ++looks) {
    // SIGHUP is for administrators who do not want to wait.
    const int signal = sigtimedwait(&set, nullptr, &kLookEvery);
    if (signal == SIGTERM || signal == SIGINT) return;
    server.KeepCertificate();
    if (signal == SIGHUP) server.ReopenLog();
    if (looks % kLooksPerTrim != 0) continue;
    // glibc keeps the memory of closed connections until it is asked.
    if (server.connections() < connections) malloc_trim(0);
    connections = server.connections();
  }
}

}  // namespace carme::proxy
