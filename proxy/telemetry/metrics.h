// Metrics in Prometheus' text format (version 0.0.4).
#ifndef CARME_PROXY_TELEMETRY_METRICS_H_
#define CARME_PROXY_TELEMETRY_METRICS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "common/http1/head.h"
#include "proxy/telemetry/counters.h"

namespace carme::proxy {

struct MetricsInput {
  std::vector<const Counters*> loops;
  int open_connections = 0;
  absl::Time started;
};

// All metrics. docs/admin/monitoring.md lists them.
std::string MetricsText(const MetricsInput& input);

// The response to a request (admin_http.h): GET /metrics only.
std::string MetricsResponse(const ScanResult& scan, const RequestHead& head,
                            const MetricsInput& input);

}  // namespace carme::proxy

#endif  // CARME_PROXY_TELEMETRY_METRICS_H_
