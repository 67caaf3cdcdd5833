#include "backend/wiring/backend_config.h"

#include "backend/environments/environment_templates.h"
#include "common/config/config.h"
#include "common/net/address.h"
#include "common/status.h"

namespace carme::backend {

absl::StatusOr<BackendConfig> LoadBackendConfig(const std::string& path) {
  ASSIGN_OR_RETURN(ConfigFile file, ConfigFile::Load(path));
  BackendConfig config;
  ConfigTable root = file.root();
  root.Table("state").Read("directory", &config.state_directory, Required());
  root.Read("metrics_listen", &config.metrics_listen);
  if (!config.metrics_listen.empty() &&
      !net::Address::Parse(config.metrics_listen).ok()) {
    root.Refuse("metrics_listen", "expected an IP address and a port");
  }
  config.standby = ReadStandbyConfig(root);
  ReadTlsConfig(root, &config.tls);
  ReadIdentityConfig(root, &config.identity);
  ReadClustersConfig(root, &config.clusters);
  config.slurm = ReadSlurmConfig(root);
  config.impersonator = ReadImpersonatorClientConfig(root);
  config.storage_reader = ReadStorageReaderClientConfig(root);
  ReadJobsConfig(root, &config.jobs);
  config.jobs.cluster = config.clusters.name;
  ReadProjectsConfig(root, &config.projects);
  ReadReservationsConfig(root, &config.reservations);
  ReadNotificationsConfig(root, &config.notifications);
  ReadHistoryConfig(root, &config.history);
  ReadLogsConfig(root, &config.logs);
  ReadMetricsConfig(root, &config.metrics);
  ReadNodeRulesConfig(root, &config.node_rules);
  RETURN_IF_ERROR(file.Finish());
  EnvironmentsConfig& environments = config.jobs.environments;
  if (!environments.template_file.empty()) {
    ASSIGN_OR_RETURN(environments.templates,
                     LoadEnvironmentTemplates(environments.template_file));
  }
  return config;
}

}  // namespace carme::backend
