// [node_rules] of backend.toml.
#ifndef CARME_BACKEND_NODE_HISTORY_NODE_RULES_CONFIG_H_
#define CARME_BACKEND_NODE_HISTORY_NODE_RULES_CONFIG_H_

#include <string>

#include "common/config/config.h"

namespace carme::backend {

struct NodeRulesConfig {
  std::string file{};  // rules; empty: none, the history is recorded only
  // The user as which the impersonator drains and resumes nodes: of its group
  // for that. Empty: rules drain no node.
  std::string drain_user{};
  int retention_days = 90;       // of the history, 30 to 3,650
  int max_avoided_percent = 20;  // of the nodes, 0 to 50
  // The least time between two runs on a node that Carme asks for: 1 to 10,080.
  int vet_interval_min = 30;
};

// Errors are reported by the file's Finish().
void ReadNodeRulesConfig(ConfigTable root, NodeRulesConfig* config);

}  // namespace carme::backend

#endif  // CARME_BACKEND_NODE_HISTORY_NODE_RULES_CONFIG_H_
