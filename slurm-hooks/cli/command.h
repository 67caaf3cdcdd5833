// The groups of commands that carme is made of, one a file.
#ifndef CARME_SLURM_HOOKS_CLI_COMMAND_H_
#define CARME_SLURM_HOOKS_CLI_COMMAND_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"

namespace CLI {
class App;
}

namespace carme {

// What the command line asked for. An error is printed on stderr, and the
// program ends with 1.
using Command = std::function<absl::Status()>;

// Adds `carme GROUP …` to `app`. Once the line is parsed, the callback of the
// subcommand that it names fills `chosen`; nothing is done before that. Both
// outlive the parsing.
using CommandGroup = void (*)(CLI::App* app, Command* chosen);

void AddEdfCommands(CLI::App* app, Command* chosen);
// For the help alone: CLI11 would take arguments that belong to the program.
void AddNodeCommands(CLI::App* app, Command* chosen);
// `carme mpirun …` and `carme torchrun …`, whose arguments all go to the
// program; a first "--" does not. Nothing: another command, or a lone --help or
// -h.
std::optional<Command> NodeCommand(const std::vector<std::string>& words);

}  // namespace carme

#endif  // CARME_SLURM_HOOKS_CLI_COMMAND_H_
