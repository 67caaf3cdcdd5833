// What monitoring asks for, in Prometheus' text format (version 0.0.4).
#ifndef CARME_PROXY_TELEMETRY_METRICS_H_
#define CARME_PROXY_TELEMETRY_METRICS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "proxy/http/http1_head.h"
#include "proxy/telemetry/counters.h"

namespace carme::proxy {

struct MetricsInput {
  std::vector<const Counters*> loops;
  int open_connections = 0;
  absl::Time started;
};

// All of it, a family after the other. README.md names them.
std::string MetricsText(const MetricsInput& input);

// The answer to what was scanned (one_answer.h): GET /metrics and nothing else.
std::string MetricsResponse(const ScanResult& scan, const RequestHead& head,
                            const MetricsInput& input);

}  // namespace carme::proxy

#endif  // CARME_PROXY_TELEMETRY_METRICS_H_
