// The proxy's metrics, from the counters of its loops.
#ifndef CARME_PROXY_TELEMETRY_METRICS_H_
#define CARME_PROXY_TELEMETRY_METRICS_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/pki/expiry.h"
#include "proxy/telemetry/counters.h"

namespace carme::proxy {

struct MetricsInput {
  std::vector<const Counters*> loops;
  int open_connections = 0;
  absl::Time started;
  absl::Time now;
  std::vector<CertificateHealth> certificates{};
};

// All metrics, with their meanings.
std::string MetricsText(const MetricsInput& input);

}  // namespace carme::proxy

#endif  // CARME_PROXY_TELEMETRY_METRICS_H_
