// carme-proxy: the data path. See proxy/README.md.
#include <utility>

#include "common/clock.h"
#include "common/log.h"
#include "common/net/tls_buffers.h"
#include "common/program.h"
#include "common/status.h"
#include "proxy/activity_reporter.h"
#include "proxy/descriptors.h"
#include "proxy/learning.h"
#include "proxy/proxy_config.h"
#include "proxy/proxy_server.h"
#include "proxy/route_watcher.h"
#include "proxy/signals.h"
#include "proxy/sockets.h"
#include "proxy/upgrade.h"

namespace carme::proxy {
namespace {

// One that takes over serves when it knows the routes, not before: until then
// the old process does.
constexpr absl::Duration kUntilRoutes = absl::Seconds(30);

absl::Status Run(ProxyConfig config, StartedAs started) {
  BlockSignals();
  Predecessor predecessor = Predecessor::Find();
  ASSIGN_OR_RETURN(Sockets sockets, OpenSockets(config));
  config.limits.most_connections =
      MostConnections(config.limits.most_connections);
  Legacy legacy{std::move(started), sockets.Named(), nullptr};
  SystemClock clock;
  ASSIGN_OR_RETURN(auto server, ProxyServer::Create(
                                    config, std::move(sockets.https), clock));
  if (sockets.redirect.valid()) {
    RETURN_IF_ERROR(server->ServeRedirects(std::move(sockets.redirect)));
  }
  if (sockets.metrics.valid()) {
    RETURN_IF_ERROR(server->ServeMetrics(std::move(sockets.metrics)));
  }
  if (sockets.agents.valid()) {
    RETURN_IF_ERROR(server->ServeAgents(std::move(sockets.agents)));
  }
  Learning learning(config, *server, clock);
  const RouteSource backend{config.backend.address, config.backend.server_name,
                            config.backend.ca,      config.backend.certificate,
                            config.backend.key,     config.backend.crl,
                            absl::Seconds(30),      config.expiry_warn_days};
  RouteWatcher watcher(backend,
                       [&](auto update) { learning.Take(std::move(update)); });
  watcher.Start();
  if (predecessor.exists()) {
    RETURN_IF_ERROR(learning.WaitForRoutes(kUntilRoutes));
  }
  server->Start();
  ActivityReporter reporter(backend, &server->activity(), {});
  reporter.Start();
  LogInfo("serving", {{"portal", config.portal_host},
                      {"jobs", config.jobs_domain + config.jobs_host}});
  if (predecessor.exists()) {
    predecessor.SayReady();
  } else {
    NotifySupervisor("READY=1");
  }
  legacy.prepare = [&] { learning.WriteDown(); };
  if (ServeUntilStopped(*server, legacy) == Ended::kHandedOver) {
    learning.LeaveToAnother();
    server->HandOver();
    ServeUntilLeft(*server, config.limits.upgrade_drain);
  }
  server->Drain();
  LogInfo("stopped");
  return absl::OkStatus();
}

}  // namespace
}  // namespace carme::proxy

int main(int argc, char** argv) {
  carme::net::ShareTlsBuffers();
  auto started = carme::proxy::StartedAs::Now(argv);
  const carme::ProgramFlags flags =
      carme::ParseFlags(argc, argv, "/etc/carme/proxy.toml",
                        "Serves the portal and the jobs' apps over https.");
  auto config = carme::proxy::ProxyConfig::Load(flags.config_path);
  if (!config.ok()) return carme::FailStart(config.status());
  if (flags.check_only) {
    for (const std::string& warning : config->Warnings()) {
      carme::LogWarning(warning);
    }
    return 0;
  }
  const absl::Status ran =
      carme::proxy::Run(*std::move(config), std::move(started));
  return ran.ok() ? 0 : carme::FailStart(ran);
}
