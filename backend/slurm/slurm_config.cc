#include "backend/slurm/slurm_config.h"

namespace carme::backend {
namespace {

void RequireAbsolute(ConfigTable* table, std::string_view key,
                     const std::string& path) {
  if (!path.starts_with('/')) table->Refuse(key, "expected an absolute path");
}

}  // namespace

SlurmConfig ReadSlurmConfig(ConfigTable root) {
  SlurmConfig config;
  ConfigTable table = root.Table("slurm");
  table.Read("conf", &config.conf);
  RequireAbsolute(&table, "conf", config.conf);
  table.Read("poll_interval_ms", &config.poll_interval, Range(200, 10000));
  table.Read("feature", &config.feature);
  if (config.feature.empty()) table.Refuse("feature", "must not be empty");
  return config;
}

ImpersonatorClientConfig ReadImpersonatorClientConfig(ConfigTable root) {
  ImpersonatorClientConfig config;
  ConfigTable table = root.Table("impersonator");
  table.Read("socket", &config.socket);
  RequireAbsolute(&table, "socket", config.socket);
  table.Read("timeout_s", &config.timeout, Range(5, 600));
  return config;
}

}  // namespace carme::backend
