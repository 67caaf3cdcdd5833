// carme-proxy: the data path. See proxy/README.md.
#include <utility>

#include "common/clock.h"
#include "common/log.h"
#include "common/program.h"
#include "common/status.h"
#include "proxy/proxy_config.h"
#include "proxy/proxy_server.h"
#include "proxy/route_watcher.h"
#include "proxy/signals.h"
#include "proxy/sockets.h"

namespace carme::proxy {
namespace {

absl::Status Run(const ProxyConfig& config) {
  BlockSignals();
  ASSIGN_OR_RETURN(Sockets sockets, OpenSockets(config));
  SystemClock clock;
  ASSIGN_OR_RETURN(auto server, ProxyServer::Create(
                                    config, std::move(sockets.https), clock));
  if (sockets.redirect.valid()) {
    RETURN_IF_ERROR(server->ServeRedirects(std::move(sockets.redirect)));
  }
  if (sockets.metrics.valid()) {
    RETURN_IF_ERROR(server->ServeMetrics(std::move(sockets.metrics)));
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
