// The groups of commands that carmectl is made of, one a file.
#ifndef CARME_BACKEND_CARMECTL_COMMAND_H_
#define CARME_BACKEND_CARMECTL_COMMAND_H_

#include <functional>

#include "absl/status/status.h"

namespace CLI {
class App;
}

namespace carme {

// What the command line asked for. An error is printed on stderr, and the
// program ends with 1.
using Command = std::function<absl::Status()>;

// Adds `carmectl GROUP …` to `app`. Once the line is parsed, the callback of
// the subcommand that it names fills `chosen`; nothing is done before that.
// Both outlive the parsing.
using CommandGroup = void (*)(CLI::App* app, Command* chosen);

void AddAuditCommands(CLI::App* app, Command* chosen);
void AddPkiCommands(CLI::App* app, Command* chosen);

}  // namespace carme

#endif  // CARME_BACKEND_CARMECTL_COMMAND_H_
