// carme-frontend: the portal's web server in the DMZ.
#include <malloc.h>
#include <signal.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/time/clock.h"
#include "common/config/program.h"
#include "common/grpc/grpc_log.h"
#include "common/log.h"
#include "common/monitoring/admin_listener.h"
#include "common/monitoring/health_check.h"
#include "common/pki/expiry.h"
#include "common/service_log/service_log_reporter.h"
#include "common/status.h"
#include "frontend/branding.h"
#include "frontend/cluster_connections.h"
#include "frontend/clusters/cluster_calls.h"
#include "frontend/clusters/portal_clusters.h"
#include "frontend/config.h"
#include "frontend/frontend.h"
#include "frontend/frontend_monitoring.h"
#include "frontend/gateway/gateway.h"
#include "frontend/gateway/method_table.h"
#include "frontend/gateway/portal_services.h"
#include "frontend/http/http_server.h"
#include "frontend/static_site.h"

namespace carme::frontend {
namespace {

constexpr absl::Duration kPollInterval = absl::Seconds(1);

// Until SIGTERM: loads new certificates and revocation lists, and logs warnings
// about those that expire soon.
void KeepCertificates(ClusterConnections* connections,
                      FrontendMonitoring* monitoring) {
  ExpiryWarnings warnings;
  do {
    connections->Refresh();
    const absl::Time now = absl::Now();
    std::vector<CertificateHealth> certificates =
        connections->Certificates(now);
    warnings.Check(certificates, now);
    monitoring->SetCertificates(std::move(certificates));
  } while (WaitForStopSignal(kPollInterval) == 0);
}

std::vector<PageField> FieldsOf(const FrontendConfig& config,
                                const PortalClusters& clusters) {
  std::vector<PageField> fields = BrandingFields(config.branding);
  fields.push_back({"carme-clusters", clusters.Names()});
  fields.push_back({"carme-documentation", config.help.documentation_url});
  fields.push_back({"carme-support", config.help.support_mail});
  return fields;
}

absl::Status Run(const FrontendConfig& config) {
  ASSIGN_OR_RETURN(const MethodTable methods,
                   MethodTable::New(PortalServiceFiles()));
  ASSIGN_OR_RETURN(ClusterConnections connections,
                   ClusterConnections::Open(config));
  const PortalClusters clusters(connections.Clusters(), connections.metrics());
  ASSIGN_OR_RETURN(std::vector<SiteAddition> files,
                   BrandingFiles(config.branding));
  ASSIGN_OR_RETURN(const StaticSite site,
                   StaticSite::Load(config.web_root, FieldsOf(config, clusters),
                                    std::move(files)));
  const ServiceLogReporter log_reporter(
      [&clusters](const v1::ReportLogEntriesRequest& request) {
        return clusters.identity().backend->ReportLog(request);
      });
  // A page has a stream for each cluster.
  StreamLimiter streams(config.limits.streams,
                        config.limits.streams_per_session *
                            static_cast<int>(clusters.all().size()));
  ClusterCalls calls(&clusters);
  const Gateway gateway(config.portal, &methods, &calls, &streams);
  const Frontend frontend(config.portal, &gateway, &site);
  ASSIGN_OR_RETURN(
      const std::unique_ptr<HttpServer> server,
      HttpServer::Start(config.listen,
                        {.max_connections = config.limits.connections},
                        frontend.Handlers()));
  LogInfo("serving", {{"address", config.listen},
                      {"portal", config.portal.origin},
                      {"backend", config.backend.address},
                      {"clusters", clusters.all().size()},
                      {"calls", methods.size()},
                      {"files", site.files()}});
  FrontendMonitoring monitoring({.requests = &frontend.requests(),
                                 .streams = &streams,
                                 .clusters = &clusters});
  const auto admin =
      AdminListener::StartIfSet(config.metrics_listen, &monitoring);
  KeepCertificates(&connections, &monitoring);
  LogInfo("stopping");
  server->Stop();
  return absl::OkStatus();
}

}  // namespace
}  // namespace carme::frontend

int main(int argc, char** argv) {
  const carme::ProgramFlags flags = carme::ParseFlags(
      argc, argv, "/etc/carme/frontend.toml",
      "carme-frontend serves the portal: the browser application and the "
      "gateway to carme-backend.",
      "", carme::HealthCheckFlag::kOffered);
  const auto config = carme::frontend::LoadConfig(flags.config_path);
  if (!config.ok()) return carme::FailStart(config.status());
  if (flags.check_only) return 0;
  if (flags.health_check) {
    const absl::Status health = carme::CheckHealth(config->metrics_listen);
    return health.ok() ? 0 : carme::FailStart(health);
  }
  // A heap for each of many threads, most of which wait, would waste memory.
  mallopt(M_ARENA_MAX, 2);
  carme::BlockStopSignals();
  // It reads new certificates every second, without a signal.
  signal(SIGHUP, SIG_IGN);
  carme::TakeGrpcLog();
  const absl::Status ended = carme::frontend::Run(*config);
  return ended.ok() ? 0 : carme::FailStart(ended);
}
