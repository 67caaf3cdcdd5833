// The command groups of the `carme` program, one file each.
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

// The selected command. Its error is printed on stderr, and the program exits
// with 1.
using Command = std::function<absl::Status()>;

// Adds `carme GROUP …` to `app`. When the command line is parsed, the callback
// of the subcommand sets `chosen`; nothing runs before that. Both must outlive
// the parsing.
using CommandGroup = void (*)(CLI::App* app, Command* chosen);

void AddEdfCommands(CLI::App* app, Command* chosen);
// For the help text only: CLI11 would consume arguments that belong to the
// program.
void AddNodeCommands(CLI::App* app, Command* chosen);
// `carme mpirun …` and `carme torchrun …`, which pass all arguments to the
// program except a first "--". Returns nullopt for another command, or --help
// or -h alone.
std::optional<Command> NodeCommand(const std::vector<std::string>& words);

// `carme vet …`: all arguments belong to the program carme-vet, which runs in
// the place of this one and links what this one must not. Returns only if it is
// not installed: its exit code for that. nullopt: another command.
std::optional<int> VetCommand(const std::vector<std::string>& words);
void AddVetCommand(CLI::App* app, Command* chosen);  // for the help text only

}  // namespace carme

#endif  // CARME_SLURM_HOOKS_CLI_COMMAND_H_
