#include "backend/history/history_config.h"

namespace carme::backend {

void ReadHistoryConfig(ConfigTable root, HistoryConfig* config) {
  ConfigTable table = root.Table("history");
  table.Read("retention_days", &config->retention_days, Range(1, 3650));
  table.Read("retention_jobs", &config->retention_jobs, Range(1000, 2'000'000));
  table.Read("ask_slurmdbd", &config->ask_slurmdbd);
}

}  // namespace carme::backend
