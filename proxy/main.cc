// carme-proxy: the data path. See proxy/README.md.
#include <string>
#include <utility>
#include <vector>

#include "common/clock.h"
#include "common/listen.h"
#include "common/log.h"
#include "common/program.h"
#include "common/status.h"
#include "proxy/proxy_config.h"
#include "proxy/proxy_server.h"
#include "proxy/route_watcher.h"
#include "proxy/signals.h"

namespace carme::proxy {
namespace {

// The sockets in this order: https, plain HTTP and metrics, the latter two when
// they are configured; those that were not handed over are opened here.
absl::Status Listen(const ProxyConfig& config, std::vector<UniqueFd>* sockets) {
  *sockets = TakeListenFds();
  std::vector<std::string> addresses = {config.listen};
  for (const std::string& more :
       {config.redirect_listen, config.metrics_listen}) {
    if (!more.empty()) addresses.push_back(more);
  }
  for (size_t i = sockets->size(); i < addresses.size(); ++i) {
    ASSIGN_OR_RETURN(UniqueFd socket, ListenTcp(addresses[i]));
    sockets->push_back(std::move(socket));
  }
  return absl::OkStatus();
}

absl::Status Run(const ProxyConfig& config) {
  BlockSignals();
  std::vector<UniqueFd> sockets;
  RETURN_IF_ERROR(Listen(config, &sockets));
  SystemClock clock;
  ASSIGN_OR_RETURN(auto server,
                   ProxyServer::Create(config, std::move(sockets[0]), clock));
  size_t next = 1;
  if (!config.redirect_listen.empty()) {
    RETURN_IF_ERROR(server->ServeRedirects(std::move(sockets[next++])));
  }
  if (!config.metrics_listen.empty()) {
    RETURN_IF_ERROR(server->ServeMetrics(std::move(sockets[next++])));
  }
  RouteWatcher watcher(
      {config.backend.address, config.backend.server_name, config.backend.ca,
       config.backend.certificate, config.backend.key, config.backend.crl,
       absl::Seconds(30), config.expiry_warn_days},
      [&](auto update) { server->Apply(std::move(update)); });
  server->Start();
  watcher.Start();
  LogInfo("serving",
          {{"portal", config.portal_host}, {"jobs", config.jobs_domain}});
  ServeUntilStopped(*server);
  server->Drain();
  LogInfo("stopped");
  return absl::OkStatus();
}

}  // namespace
}  // namespace carme::proxy

int main(int argc, char** argv) {
  const carme::ProgramFlags flags =
      carme::ParseFlags(argc, argv, "/etc/carme/proxy.toml",
                        "Serves the portal and the jobs' apps over https.");
  auto config = carme::proxy::ProxyConfig::Load(flags.config_path);
  if (!config.ok()) return carme::FailStart(config.status());
  if (flags.check_only) return 0;
  const absl::Status ran = carme::proxy::Run(*config);
  return ran.ok() ? 0 : carme::FailStart(ran);
}
