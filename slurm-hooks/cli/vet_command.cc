// carme vet: checks the nodes of a job before it uses them.
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "slurm-hooks/cli/command.h"
#include "slurm-hooks/cli/messages.h"

namespace carme {
namespace {

constexpr int kVetInfrastructure = 3;  // of carme-vet

}  // namespace

void AddVetCommand(CLI::App* app, Command*) {
  app->add_subcommand("vet", "check the nodes of a job before it uses them")
      ->footer("All arguments go to carme-vet: `carme vet --help`.");
}

std::optional<int> VetCommand(const std::vector<std::string>& words) {
  if (words.empty() || words[0] != "vet") return std::nullopt;
  std::error_code error;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", error);
  const auto prefix = own.parent_path().parent_path();
  std::vector<std::string> given(words.begin() + 1, words.end());
  std::string name = "carme vet";
  std::vector<char*> arguments = {name.data()};
  for (std::string& word : given) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  // from bin/ and from libexec/carme/bin/
  for (const auto& program :
       {prefix / "libexec/carme/carme-vet", prefix / "carme-vet"}) {
    execv(program.c_str(), arguments.data());
  }
  std::fprintf(stderr, "carme: %s\n",
               FormatMessage(cli_messages::kVetNotInstalled,
                             {{"path", (prefix / "libexec/carme").string()}})
                   .c_str());
  return kVetInfrastructure;
}

}  // namespace carme
