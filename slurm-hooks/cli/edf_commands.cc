// carme edf: shows an environment as `srun --environment` would use it.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "common/edf/render.h"
#include "common/edf/text.h"
#include "common/status.h"
#include "slurm-hooks/cli/command.h"
#include "slurm-hooks/cli/image_pull.h"
#include "slurm-hooks/cli/image_store.h"
#include "slurm-hooks/cli/messages.h"
#include "slurm-hooks/cli/process_context.h"

namespace carme {
namespace {

struct Options {
  std::string name;
  std::vector<std::string> names;
  bool json = false;
};

// Renders an environment; prints warnings on stderr.
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
  return MakePlainError(cli_messages::kOutputNotWritten);
}

absl::Status Validate(const Options& options) {
  ASSIGN_OR_RETURN(const EdfResult result, Render(options));
  return Print(result.path + " is a valid EDF file\n");
}

// A pulled image is replaced by its file, so that all nodes use the same one.
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

std::string Date(time_t time) {
  tm local{};
  char text[16] = "";
  localtime_r(&time, &local);
  strftime(text, sizeof text, "%Y-%m-%d", &local);
  return text;
}

std::string MebiBytes(uint64_t bytes) {
  return absl::StrCat((bytes + (1 << 20) - 1) >> 20, " MiB");
}

absl::Status PrintImages() {
  ASSIGN_OR_RETURN(const ImageStore store, ImageStore::OfProcess());
  ASSIGN_OR_RETURN(const std::vector<StoredImage> images, store.List());
  size_t width = 5;
  for (const StoredImage& image : images) {
    width = std::max(width, image.name.size());
  }
  const auto line = [width](const std::string& name, const std::string& digest,
                            const std::string& size,
                            const std::string& pulled) {
    return absl::StrFormat("%-*s  %-19s  %10s  %s\n", static_cast<int>(width),
                           name, digest, size, pulled);
  };
  std::string text = line("IMAGE", "DIGEST", "SIZE", "PULLED");
  for (const StoredImage& image : images) {
    absl::StrAppend(&text,
                    line(image.name.empty() ? "-" : image.name,
                         absl::StrCat("sha256:", image.digest.substr(0, 12)),
                         MebiBytes(image.bytes), Date(image.pulled)));
  }
  return Print(text);
}

absl::Status RemoveImages(const Options& options) {
  ASSIGN_OR_RETURN(const ImageStore store, ImageStore::OfProcess());
  for (const std::string& name : options.names) {
    ASSIGN_OR_RETURN(const uint64_t bytes, store.Remove(name));
    const std::string removed =
        bytes == 0
            ? FormatMessage(cli_messages::kNameRemoved, {{"image", name}})
            : FormatMessage(cli_messages::kImageRemoved,
                            {{"image", name}, {"size", MebiBytes(bytes)}});
    RETURN_IF_ERROR(Print(removed + "\n"));
  }
  return absl::OkStatus();
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
  CLI::App* const images =
      edf->add_subcommand("images", "list the images that you have pulled");
  images->callback([=] { *chosen = PrintImages; });
  CLI::App* const rm = edf->add_subcommand(
      "rm", "remove images that you have pulled; no step may be using them");
  rm->add_option("IMAGE", options->names,
                 "[REGISTRY#]IMAGE[:TAG], or sha256:DIGEST; 12 digits will do")
      ->required();
  rm->callback([=] { *chosen = [options] { return RemoveImages(*options); }; });
  CLI::App* const render =
      add("render", "print it without bases and variables");
  render->add_flag("--json", options->json, "as JSON instead of TOML");
  render->callback(
      [=] { *chosen = [options] { return PrintRendered(*options); }; });
}

}  // namespace carme
