// [metrics] of backend.toml: where agents send samples of their jobs.
#ifndef CARME_BACKEND_JOBS_AGENTS_METRICS_CONFIG_H_
#define CARME_BACKEND_JOBS_AGENTS_METRICS_CONFIG_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "carme/v1/agent.pb.h"
#include "common/config/config.h"

namespace carme::backend {

struct MetricsConfig {
  // host:port of each carme-metrics; empty: agents sample nothing.
  std::vector<std::string> addresses;
  std::string ca_file;  // the authority of their certificates
  std::string server_name = "carme-metrics";
  absl::Duration interval = absl::Seconds(5);
  absl::Duration gpu_interval = absl::Seconds(1);
};

// Errors are reported by the file's Finish().
void ReadMetricsConfig(ConfigTable root, MetricsConfig* config);

// The plan for agents, with the current content of `ca_file`. Must not be
// called without addresses. The errors of ReadFile.
absl::StatusOr<v1::MetricsPlan> MakeMetricsPlan(const MetricsConfig& config);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_AGENTS_METRICS_CONFIG_H_
