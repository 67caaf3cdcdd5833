// carmectl: what an administrator does by hand, beside the programs. It talks
// to none of them; it works on files.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <string>

#include "absl/strings/str_split.h"
#include "backend/carmectl/command.h"

namespace carme {
namespace {

constexpr CommandGroup kGroups[] = {AddAuditCommands, AddPkiCommands};

constexpr int kFailed = 1;
constexpr int kWrongUse = 2;

int Run(const Command& command) {
  const absl::Status status = command();
  if (status.ok()) return 0;
  for (absl::string_view line : absl::StrSplit(status.message(), '\n')) {
    std::fprintf(stderr, "carmectl: %s\n", std::string(line).c_str());
  }
  return kFailed;
}

}  // namespace
}  // namespace carme

int main(int argc, char** argv) {
  CLI::App app("carmectl does an administrator's work on Carme's files.",
               "carmectl");
  app.set_version_flag("--version", "carmectl " CARME_VERSION);
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
