// carme: what a user does by hand, on a login node or in a job. It has the
// user's rights and no others.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "absl/strings/str_split.h"
#include "slurm-hooks/cli/command.h"

namespace carme {
namespace {

constexpr CommandGroup kGroups[] = {AddEdfCommands, AddNodeCommands};

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

}  // namespace
}  // namespace carme

int main(int argc, char** argv) {
  CLI::App app("carme is Carme on the command line.", "carme");
  app.set_version_flag("--version", "carme " CARME_VERSION);
  app.require_subcommand(1);
  carme::Command chosen;
  for (const carme::CommandGroup add : carme::kGroups) add(&app, &chosen);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {  // --help and --version, too
    return app.exit(error) == 0 ? 0 : carme::kWrongUse;
  }
  return carme::Run(chosen);
}
