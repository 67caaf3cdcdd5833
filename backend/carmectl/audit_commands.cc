#include <CLI/CLI.hpp>

#include "backend/carmectl/command.h"

namespace carme {

void AddAuditCommands(CLI::App* app, Command* chosen) {
  CLI::App* const audit = app->add_subcommand("audit", "the audit log");
  audit->require_subcommand(1);
  audit->callback(
      [chosen] { *chosen = [] { return absl::UnimplementedError("soon"); }; });
}

}  // namespace carme
