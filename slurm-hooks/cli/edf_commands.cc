// carme edf: looks at an environment as `srun --environment` would see it.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <string>

#include "common/edf/process_context.h"
#include "common/edf/render.h"
#include "common/edf/text.h"
#include "common/status.h"
#include "slurm-hooks/cli/command.h"

namespace carme {
namespace {

struct Options {
  std::string name;
  bool json = false;
};

// The environment and its path; what has no effect is told on stderr.
absl::StatusOr<EdfResult> Render(const Options& options) {
  ASSIGN_OR_RETURN(const EdfContext context, EdfContextOfProcess());
  EdfResult result = RenderEdf(options.name, context);
  for (const EdfProblem& warning : result.warnings.list()) {
    std::fprintf(stderr, "carme: warning: %s\n", Located(warning).c_str());
  }
  RETURN_IF_ERROR(result.problems.status());
  return result;
}

absl::Status Print(const std::string& text) {
  if (std::fputs(text.c_str(), stdout) >= 0 && std::fflush(stdout) == 0) {
    return absl::OkStatus();
  }
  return absl::DataLossError("standard output cannot be written");
}

absl::Status Validate(const Options& options) {
  ASSIGN_OR_RETURN(const EdfResult result, Render(options));
  return Print(result.path + " is a valid EDF file\n");
}

absl::Status PrintRendered(const Options& options) {
  ASSIGN_OR_RETURN(const EdfResult result, Render(options));
  return Print(options.json ? EdfToJson(*result.edf) : EdfToToml(*result.edf));
}

}  // namespace

void AddEdfCommands(CLI::App* app, Command* chosen) {
  CLI::App* const edf =
      app->add_subcommand("edf", "environment definition files");
  edf->require_subcommand(1);
  const auto options = std::make_shared<Options>();
  const auto add = [&](const char* name, const char* about) {
    CLI::App* const command = edf->add_subcommand(name, about);
    command
        ->add_option("ENVIRONMENT", options->name,
                     "a path, or a name in EDF_PATH, ~/.edf or /etc/edf")
        ->required();
    return command;
  };
  add("validate", "say whether a job could start in it")->callback([=] {
    *chosen = [options] { return Validate(*options); };
  });
  CLI::App* const render =
      add("render", "print it without bases and variables");
  render->add_flag("--json", options->json, "as JSON instead of TOML");
  render->callback(
      [=] { *chosen = [options] { return PrintRendered(*options); }; });
}

}  // namespace carme
