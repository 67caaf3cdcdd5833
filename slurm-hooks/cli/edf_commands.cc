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
#include "slurm-hooks/cli/image_pull.h"
#include "slurm-hooks/cli/image_store.h"

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

// An image that was pulled is its file: every node then uses the same one.
absl::Status PrintRendered(const Options& options) {
  ASSIGN_OR_RETURN(EdfResult result, Render(options));
  if (result.edf->image.kind == EdfImage::Kind::kRegistry) {
    const absl::StatusOr<ImageStore> store = ImageStore::OfProcess();
    const auto file =
        store.ok() ? store->Find(result.edf->image) : std::nullopt;
    if (file) {
      result.edf->image = EdfImage();
      result.edf->image.path = *file;
    }
  }
  return Print(options.json ? EdfToJson(*result.edf) : EdfToToml(*result.edf));
}

absl::Status Pull(const Options& options) {
  ASSIGN_OR_RETURN(const ImageStore store, ImageStore::OfProcess());
  EdfProblems problems;
  const std::optional<EdfImage> image =
      ParseImage({options.name, {}, "IMAGE"}, "/", &problems);
  RETURN_IF_ERROR(problems.status());
  ASSIGN_OR_RETURN(const std::string path, PullImage(*image, store));
  return Print(path + "\n");
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
  CLI::App* const pull = edf->add_subcommand(
      "pull", "fetch an image from a registry for environments");
  pull->add_option("IMAGE", options->name, "[REGISTRY#]IMAGE[:TAG]")
      ->required();
  pull->callback([=] { *chosen = [options] { return Pull(*options); }; });
  CLI::App* const render =
      add("render", "print it without bases and variables");
  render->add_flag("--json", options->json, "as JSON instead of TOML");
  render->callback(
      [=] { *chosen = [options] { return PrintRendered(*options); }; });
}

}  // namespace carme
