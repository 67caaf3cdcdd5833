// [logs] of backend.toml.
#ifndef CARME_BACKEND_LOGS_LOGS_CONFIG_H_
#define CARME_BACKEND_LOGS_LOGS_CONFIG_H_

#include "common/config/config.h"

namespace carme::backend {

struct LogsConfig {
  int retention_days = 14;           // from 1 to 365
  int max_entries = 100'000;         // of all sources, from 1,000 to 2,000,000
  int max_entries_of_source = 1000;  // from 100 to 100,000
};

// Errors are reported by the file's Finish().
void ReadLogsConfig(ConfigTable root, LogsConfig* config);

}  // namespace carme::backend

#endif  // CARME_BACKEND_LOGS_LOGS_CONFIG_H_
