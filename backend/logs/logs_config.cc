#include "backend/logs/logs_config.h"

namespace carme::backend {

void ReadLogsConfig(ConfigTable root, LogsConfig* config) {
  ConfigTable table = root.Table("logs");
  table.Read("retention_days", &config->retention_days, Range(1, 365));
  table.Read("max_entries", &config->max_entries, Range(1000, 2'000'000));
  table.Read("max_entries_of_source", &config->max_entries_of_source,
             Range(100, 100'000));
}

}  // namespace carme::backend
