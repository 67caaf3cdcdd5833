// carme-proxy: the data path. See proxy/README.md.
#include <malloc.h>

#include <csignal>
#include <ctime>

#include "common/clock.h"
#include "common/listen.h"
#include "common/log.h"
#include "common/program.h"
#include "common/status.h"
#include "proxy/proxy_config.h"
#include "proxy/proxy_server.h"
#include "proxy/route_watcher.h"

namespace carme::proxy {
namespace {

constexpr timespec kTrimEvery = {30, 0};

absl::StatusOr<UniqueFd> PublicSocket(const ProxyConfig& config) {
  std::vector<UniqueFd> handed_over = TakeListenFds();
  if (!handed_over.empty()) return std::move(handed_over.front());
  return ListenTcp(config.listen);
}

// Until SIGTERM or SIGINT. SIGHUP reads the certificate again.
void ServeUntilStopped(ProxyServer& server, const sigset_t& signals) {
  for (;;) {
    const int signal = sigtimedwait(&signals, nullptr, &kTrimEvery);
    if (signal == SIGTERM || signal == SIGINT) return;
    if (signal == SIGHUP) {
      absl::Status reloaded = server.ReloadCertificate();
      LogInfo("certificate read again", {{"result", reloaded.ToString()}});
    }
    // glibc keeps the memory of closed connections otherwise.
    if (signal < 0) malloc_trim(0);
  }
}

absl::Status Run(const ProxyConfig& config) {
  BlockStopSignals();
  sigset_t signals;
  sigemptyset(&signals);
  for (int signal : {SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, signal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);

  ASSIGN_OR_RETURN(UniqueFd socket, PublicSocket(config));
  SystemClock clock;
  ASSIGN_OR_RETURN(auto server,
                   ProxyServer::Create(config, std::move(socket), clock));
  RouteWatcher watcher(
      {config.backend.address, config.backend.server_name, config.backend.ca,
       config.backend.certificate, config.backend.key},
      [&](auto update) { server->Apply(std::move(update)); });
  server->Start();
  watcher.Start();
  LogInfo("serving",
          {{"portal", config.portal_host}, {"jobs", config.jobs_domain}});
  ServeUntilStopped(*server, signals);
  server->Drain();
  LogInfo("stopped");
  return absl::OkStatus();
}

}  // namespace
}  // namespace carme::proxy

int main(int argc, char** argv) {
  using carme::proxy::ProxyConfig;
  const carme::ProgramFlags flags =
      carme::ParseFlags(argc, argv, "/etc/carme/proxy.toml",
                        "Serves the portal and the jobs' apps over https.");
  absl::StatusOr<ProxyConfig> config = ProxyConfig::Load(flags.config_path);
  if (!config.ok()) return carme::FailStart(config.status());
  if (flags.check_only) return 0;
  absl::Status ran = carme::proxy::Run(*config);
  return ran.ok() ? 0 : carme::FailStart(ran);
}
