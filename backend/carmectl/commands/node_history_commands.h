// carmectl node history, vet and rules.
#ifndef CARME_BACKEND_CARMECTL_COMMANDS_NODE_HISTORY_COMMANDS_H_
#define CARME_BACKEND_CARMECTL_COMMANDS_NODE_HISTORY_COMMANDS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "backend/carmectl/commands/command.h"
#include "backend/carmectl/portal/portal_options.h"

namespace carme::carmectl {

struct NodeOptions : PortalOptions {
  std::vector<std::string> nodes{};
  std::string reason{};
  std::string node{};  // of history
  int64_t max = 100;   // entries
  std::string file{};  // of vet and rules
};

void AddNodeHistoryVerbs(CLI::App* node,
                         const std::shared_ptr<NodeOptions>& options,
                         Command* chosen);

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_COMMANDS_NODE_HISTORY_COMMANDS_H_
