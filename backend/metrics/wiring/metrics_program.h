// carme-metrics, built from its configuration.
#ifndef CARME_BACKEND_METRICS_WIRING_METRICS_PROGRAM_H_
#define CARME_BACKEND_METRICS_WIRING_METRICS_PROGRAM_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/metrics/ingest/remote_writer.h"
#include "backend/metrics/wiring/metrics_config.h"
#include "common/metric_rules/rule_set.h"

namespace carme::metrics {

// The database's address with its password. Errors of the file.
absl::StatusOr<DatabaseAddress> AddressOf(
    const MetricsProgramConfig::Database& config);

// The rules in the file, or, if `path` is empty, the shipped ones; without the
// shipped file, none. Errors of the file.
absl::StatusOr<metric_rules::RuleSet> LoadRules(std::string path);

// Serves until SIGTERM. The errors of the files and ports.
absl::Status RunMetrics(const MetricsProgramConfig& config);

}  // namespace carme::metrics

#endif  // CARME_BACKEND_METRICS_WIRING_METRICS_PROGRAM_H_
