// carme-proxy: proxies the portal and the jobs' apps. See proxy/README.md.
#include <memory>
#include <utility>

#include "common/clock.h"
#include "common/config/program.h"
#include "common/log.h"
#include "common/monitoring/health_check.h"
#include "common/net/tls/tls_buffers.h"
#include "common/pki/tls_files.h"
#include "common/service_log/service_log_reporter.h"
#include "common/status.h"
#include "proxy/config/proxy_config.h"
#include "proxy/control/backend_call_channel.h"
#include "proxy/control/backend_ticket_redeemer.h"
#include "proxy/control/route_watcher.h"
#include "proxy/limits/overload_manager.h"
#include "proxy/server/hot_restart.h"
#include "proxy/server/listen_sockets.h"
#include "proxy/server/proxy_server.h"
#include "proxy/server/route_update_handler.h"
#include "proxy/server/signals.h"
#include "proxy/telemetry/activity_reporter.h"
#include "proxy/telemetry/service_log.h"

namespace carme::proxy {
namespace {

// After a hot restart, the new process serves when it has routes. Until then
// the old one does.
constexpr absl::Duration kRoutesTimeout = absl::Seconds(30);

absl::Status Run(ProxyConfig config, ExecImage started) {
  BlockSignals();
  // Without these files no route arrives. A certificate that has expired is
  // only logged: routes that were saved need no backend.
  RETURN_IF_ERROR(ReadTlsFiles({config.backend.certificate, config.backend.key,
                                config.backend.ca, config.backend.crl})
                      .status());
  OldProxyProcess parent = OldProxyProcess::Find();
  ASSIGN_OR_RETURN(Sockets sockets, OpenSockets(config));
  config.limits.max_connections = MaxConnections(config.limits.max_connections);
  RestartState restart_state{std::move(started), sockets.Named(), nullptr};
  SystemClock clock;
  const BackendEndpoint backend{
      config.backend.address, config.backend.server_name,
      config.backend.ca,      config.backend.certificate,
      config.backend.key,     config.backend.crl,
      absl::Seconds(30),      config.expiry_warn_days};
  const BackendCallChannel connection(backend);
  const ServiceLogReporter log_reporter(
      [&connection](const v1::ReportLogEntriesRequest& request) {
        return ReportLog(connection, request);
      });
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
  server->RedeemTicketsWith(
      std::make_unique<BackendTicketRedeemer>(&connection));
  RouteUpdateHandler update_handler(config, *server, clock);
  RouteWatcher watcher(backend, [&](auto update) {
    update_handler.OnUpdate(std::move(update));
  });
  watcher.Start();
  if (parent.exists()) {
    RETURN_IF_ERROR(update_handler.WaitForRoutes(kRoutesTimeout));
  }
  server->Start();
  ActivityReporter reporter(&connection, &server->activity(), {});
  reporter.Start();
  LogInfo("serving", {{"portal", config.portal_host},
                      {"jobs", config.jobs_domain + config.jobs_host}});
  if (parent.exists()) {
    parent.NotifyReady();
  } else {
    NotifySupervisor("READY=1");
  }
  restart_state.prepare = [&] { update_handler.Flush(); };
  if (ServeUntilStopped(*server, restart_state) == ServeResult::kHandedOver) {
    update_handler.StopPersisting();
    server->HandOver();
    ServeUntilIdle(*server, config.limits.restart_drain_timeout);
  }
  server->Drain();
  LogInfo("stopped");
  return absl::OkStatus();
}

}  // namespace
}  // namespace carme::proxy

int main(int argc, char** argv) {
  carme::net::ShareTlsBuffers();
  auto started = carme::proxy::ExecImage::Now(argv);
  const carme::ProgramFlags flags =
      carme::ParseFlags(argc, argv, "/etc/carme/proxy.toml",
                        "Serves the portal and the jobs' apps over HTTPS.", "",
                        carme::HealthCheckFlag::kOffered);
  auto config = carme::proxy::ProxyConfig::Load(flags.config_path);
  if (!config.ok()) return carme::FailStart(config.status());
  if (flags.check_only) {
    for (const std::string& warning : config->Warnings()) {
      carme::LogWarning(warning);
    }
    return 0;
  }
  if (flags.health_check) {
    const absl::Status health = carme::CheckHealth(config->metrics_listen);
    return health.ok() ? 0 : carme::FailStart(health);
  }
  const absl::Status ran =
      carme::proxy::Run(*std::move(config), std::move(started));
  return ran.ok() ? 0 : carme::FailStart(ran);
}
