#include "frontend/frontend_monitoring.h"

#include <utility>

#include "absl/time/clock.h"
#include "common/metrics/metrics_writer.h"
#include "common/monitoring/certificate_metrics.h"
#include "frontend/messages.h"

namespace carme::frontend {

FrontendMonitoring::FrontendMonitoring(const Parts& parts)
    : parts_(parts), started_(absl::Now()) {}

void FrontendMonitoring::SetCertificates(
    std::vector<CertificateHealth> certificates) {
  absl::MutexLock lock(&mutex_);
  certificates_ = std::move(certificates);
}

absl::Status FrontendMonitoring::Ready() const {
  if (parts_.clusters->identity().backend->connected()) {
    return absl::OkStatus();
  }
  return MakePlainError(frontend_messages::kNotConnected);
}

std::string FrontendMonitoring::Metrics() const {
  MetricsWriter writer("carme_frontend_");
  writer.Family("build_info", MetricType::kGauge,
                "Always 1; the label is the version of Carme.");
  writer.Sample({{"version", CARME_VERSION}}, 1);
  writer.Gauge("start_time_seconds",
               "Start of the process, in seconds since 1970.",
               absl::ToUnixSeconds(started_));
  parts_.requests->Write(
      {.total = "requests_total",
       .total_help = "Requests by route and class of status: page (files of "
                     "the web application), call, stream (counted at its "
                     "begin), invalid (malformed HTTP).",
       .seconds = "request_seconds",
       .seconds_help = "Durations of requests that are no streams.",
       .kind = "route",
       .result = "status"},
      &writer);
  writer.Gauge("requests_running", "Requests that are being answered.",
               parts_.requests->running());
  writer.Gauge("streams_open", "Open streams of pages.",
               parts_.streams->count());
  writer.Gauge("backend_connected", "1 if connected to the backend.",
               parts_.clusters->identity().backend->connected() ? 1 : 0);
  writer.Family("cluster_connected", MetricType::kGauge,
                "1 if connected to the backend of the cluster, of several.");
  for (const PortalCluster& cluster : parts_.clusters->all()) {
    if (cluster.name.empty()) continue;
    writer.Sample({{"cluster", cluster.name}},
                  cluster.backend->connected() ? 1 : 0);
  }
  absl::MutexLock lock(&mutex_);
  WriteCertificates(certificates_, absl::Now(), &writer);
  return writer.Take();
}

}  // namespace carme::frontend
