// The content of backend.toml. Each component reads its own sections.
#ifndef CARME_BACKEND_WIRING_BACKEND_CONFIG_H_
#define CARME_BACKEND_WIRING_BACKEND_CONFIG_H_

#include <string>

#include "absl/status/statusor.h"
#include "backend/clusters/clusters_config.h"
#include "backend/history/history_config.h"
#include "backend/identity/login/identity_config.h"
#include "backend/jobs/agents/metrics_config.h"
#include "backend/jobs/model/jobs_config.h"
#include "backend/logs/logs_config.h"
#include "backend/node_history/node_rules_config.h"
#include "backend/notifications/delivery/notifications_config.h"
#include "backend/projects/projects_config.h"
#include "backend/reservations/reservations_config.h"
#include "backend/rpc/server/tls_config.h"
#include "backend/slurm/slurm_config.h"
#include "backend/standby/standby_config.h"
#include "backend/storage/storage_reader_client.h"

namespace carme::backend {

// deploy/config/backend.toml explains each key.
struct BackendConfig {
  // The database, and the keys of the job CA and the tickets. Mode 0700.
  std::string state_directory = "/var/lib/carme";
  std::string metrics_listen;  // for monitoring; empty: none
  StandbyConfig standby;
  TlsConfig tls;
  IdentityConfig identity;
  ClustersConfig clusters;
  SlurmConfig slurm;
  ImpersonatorClientConfig impersonator;
  StorageReaderClientConfig storage_reader;
  JobsConfig jobs;
  ProjectsConfig projects;
  ReservationsConfig reservations;
  NotificationsConfig notifications;
  HistoryConfig history;
  LogsConfig logs;
  MetricsConfig metrics;
  NodeRulesConfig node_rules;
};

// INVALID_ARGUMENT lists all errors, one a line; or an error of ReadFile.
absl::StatusOr<BackendConfig> LoadBackendConfig(const std::string& path);

}  // namespace carme::backend

#endif  // CARME_BACKEND_WIRING_BACKEND_CONFIG_H_
