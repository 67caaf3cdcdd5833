// The configuration in metrics.toml.
#ifndef CARME_BACKEND_METRICS_WIRING_METRICS_CONFIG_H_
#define CARME_BACKEND_METRICS_WIRING_METRICS_CONFIG_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/metrics/ingest/sample_ingest.h"
#include "backend/metrics/pages/export_files.h"

namespace carme::metrics {

// deploy/config/metrics.toml explains each key.
struct MetricsProgramConfig {
  std::string agents = "0.0.0.0:9445";   // for samples
  std::string clients = "0.0.0.0:9446";  // for frontends
  std::string metrics_listen;            // for monitoring; empty: none
  std::string state_directory = "/var/lib/carme-metrics";

  struct Tls {
    std::string certificate;
    std::string key;
    std::string ca;
    std::string crl;
    std::string frontend_name = "dmz";
    int expiry_warn_days = 21;
  } tls;

  struct Backend {
    std::string address;  // host:port
    std::string server_name = "carme-backend";
  } backend;

  struct Database {
    std::string url;
    std::string username;
    std::string password_file;
    std::string ca;
    absl::Duration timeout = absl::Seconds(5);
    int max_concurrent_writes = 16;
  } database;

  IngestLimits limits;

  struct Archive {
    int64_t mib_per_job = 16;
    int64_t mib_total = 100 << 10;
    int days = 730;
  } archive;

  ExportNames export_names;

  // As docs/admin/metric-rules.md describes it; empty: the shipped one.
  std::string rules_file;
};

// Reports all errors of the file at once, each with its line.
absl::StatusOr<MetricsProgramConfig> LoadMetricsConfig(const std::string& path);

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_WIRING_METRICS_CONFIG_H_
