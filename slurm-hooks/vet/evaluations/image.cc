// Whether an image can be mounted: SquashFS by squashfuse, SIF by Apptainer.
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "common/printable.h"
#include "slurm-hooks/vet/evaluations/evaluations.h"
#include "slurm-hooks/vet/evaluations/messages.h"
#include "slurm-hooks/vet/evaluations/program_output.h"

namespace carme::vet {
namespace {

constexpr size_t kImageHead = 64;
constexpr size_t kMaxErrorShown = 300;
constexpr std::string_view kSquashfsMagic = "hsqs";
constexpr std::string_view kSifMagic = "SIF_MAGIC";
constexpr size_t kSifMagicAt = 32;

Outcome OutcomeOf(const Texts& command) {
  const auto output = RunProgram(command);
  if (!output.ok()) {
    return Outcome::Error(FormatMessage(
        evaluation_messages::kNotStarted,
        {{"program", command[0]}, {"cause", output.status().message()}}));
  }
  if (output->end.exit_code == 0) return {};
  return Outcome::Failed(FormatMessage(
      evaluation_messages::kExitCode,
      {{"program", command[0]},
       {"code", output->end.exit_code},
       {"output",
        absl::StrCat(": ", Readable(output->text, kMaxErrorShown))}}));
}

Outcome MountSquashfs(const std::string& path) {
  std::string directory = "/tmp/carme-vet-XXXXXX";
  if (mkdtemp(directory.data()) == nullptr) {
    return Outcome::Error(
        FormatMessage(evaluation_messages::kUnreadable, {{"path", "/tmp"}}));
  }
  Outcome outcome = OutcomeOf({"squashfuse", path, directory});
  if (outcome.kind == Outcome::Kind::kPassed) {
    std::error_code error;
    const std::filesystem::directory_iterator files(directory, error);
    if (error || files == std::filesystem::directory_iterator()) {
      outcome = Outcome::Failed(
          FormatMessage(evaluation_messages::kImageEmpty, {{"path", path}}));
    }
    for (const char* program : {"fusermount3", "fusermount", "umount"}) {
      const Texts command = program == std::string_view("umount")
                                ? Texts{program, directory}
                                : Texts{program, "-u", directory};
      const auto unmounted = RunProgram(command);
      if (unmounted.ok() && unmounted->end.exit_code == 0) break;
    }
  }
  rmdir(directory.c_str());
  return outcome;
}

}  // namespace

Outcome EvaluateImage(const Evaluation& evaluation) {
  const std::string path = evaluation.parameters.Text("path");
  std::ifstream file(path, std::ios::binary);
  std::string head(kImageHead, '\0');
  if (!file.read(head.data(), kImageHead)) {
    return Outcome::Failed(
        FormatMessage(evaluation_messages::kUnreadable, {{"path", path}}));
  }
  if (head.starts_with(kSquashfsMagic)) return MountSquashfs(path);
  if (head.compare(kSifMagicAt, kSifMagic.size(), kSifMagic) == 0) {
    return OutcomeOf({"apptainer", "exec", path, "/bin/sh", "-c", "true"});
  }
  return Outcome::Failed(
      FormatMessage(evaluation_messages::kNotAnImage, {{"path", path}}));
}

}  // namespace carme::vet
