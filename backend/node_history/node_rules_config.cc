#include "backend/node_history/node_rules_config.h"

namespace carme::backend {

void ReadNodeRulesConfig(ConfigTable root, NodeRulesConfig* config) {
  ConfigTable table = root.Table("node_rules");
  table.Read("file", &config->file);
  table.Read("drain_user", &config->drain_user);
  table.Read("retention_days", &config->retention_days, Range(30, 3650));
  table.Read("max_avoided_percent", &config->max_avoided_percent, Range(0, 50));
  table.Read("vet_interval_min", &config->vet_interval_min, Range(1, 10'080));
}

}  // namespace carme::backend
