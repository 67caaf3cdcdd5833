// carme: the command line for users, on a login node or in a job, with the
// user's rights.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "slurm-hooks/cli/command.h"
#include "slurm-hooks/cli/messages.h"

namespace carme {
namespace {

constexpr CommandGroup kGroups[] = {AddEdfCommands, AddNodeCommands,
                                    AddVetCommand};

constexpr int kFailed = 1;
constexpr int kWrongUse = 2;

int Run(const Command& command) {
  const absl::Status status = command();
  if (status.ok()) return 0;
  for (absl::string_view line : absl::StrSplit(status.message(), '\n')) {
    std::fprintf(stderr, "carme: %s\n", std::string(line).c_str());
  }
  return kFailed;
}

// `carme help edf pull` is `carme edf pull --help`.
std::vector<std::string> WordsOf(int argc, char** argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  if (!words.empty() && words[0] == "help") {
    words.erase(words.begin());
    words.push_back("--help");
  }
  return words;
}

// CLI11 reports "A subcommand is required" for a wrong subcommand, too.
std::optional<std::string> WrongCommand(const CLI::App& app,
                                        const std::vector<std::string>& words) {
  const CLI::App* at = &app;
  std::string way = "carme";
  for (size_t i = 0;; ++i) {
    const auto commands =
        at->get_subcommands([](const CLI::App*) { return true; });
    if (commands.empty()) return std::nullopt;
    if (i < words.size() && words[i].starts_with("-")) return std::nullopt;
    const auto found = std::find_if(
        commands.begin(), commands.end(), [&](const CLI::App* command) {
          return i < words.size() && command->get_name() == words[i];
        });
    if (found == commands.end()) {
      const std::string expected = absl::StrJoin(
          commands, ", ", [](std::string* out, const CLI::App* command) {
            *out += command->get_name();
          });
      if (i == words.size()) {
        return FormatMessage(cli_messages::kCommandMissing,
                             {{"commands", expected}, {"command", way}});
      }
      return FormatMessage(
          cli_messages::kCommandUnknown,
          {{"found", words[i]}, {"commands", expected}, {"command", way}});
    }
    at = *found;
    absl::StrAppend(&way, " ", words[i]);
  }
}

}  // namespace
}  // namespace carme

int main(int argc, char** argv) {
  CLI::App app("carme is Carme on the command line.", "carme");
  app.set_version_flag("--version", "carme " CARME_VERSION);
  app.require_subcommand(1);
  carme::Command chosen;
  for (const carme::CommandGroup add : carme::kGroups) add(&app, &chosen);
  std::vector<std::string> words = carme::WordsOf(argc, argv);
  if (const auto exit_code = carme::VetCommand(words)) return *exit_code;
  if (const auto command = carme::NodeCommand(words)) {
    return carme::Run(*command);
  }
  if (const auto wrong = carme::WrongCommand(app, words)) {
    std::fprintf(stderr, "carme: %s\n", wrong->c_str());
    return carme::kWrongUse;
  }
  std::reverse(words.begin(), words.end());  // in the order of CLI11
  try {
    app.parse(words);
  } catch (const CLI::ParseError& error) {  // --help and --version, too
    return app.exit(error) == 0 ? 0 : carme::kWrongUse;
  }
  return carme::Run(chosen);
}
