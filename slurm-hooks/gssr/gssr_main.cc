// gssr: the commands of gssr 0.3, `profile` and `analyze`, by gssr-record and
// gssr-analyze, which this process becomes.
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "slurm-hooks/gpu/gpu_set.h"
#include "slurm-hooks/gssr/front_arguments.h"
#include "slurm-hooks/gssr/messages.h"
#include "slurm-hooks/gssr/record_files.h"

namespace carme::gssr {
namespace {

namespace fs = std::filesystem;

constexpr int kRefused = 1;
constexpr int kWrongUse = 2;
constexpr int kCommandNotFound = 127;

int Refuse(const absl::Status& status, int exit_code) {
  fprintf(stderr, "gssr: %s\n", std::string(status.message()).c_str());
  return exit_code;
}

// Of this process, empty: there is none.
std::string ExistingRecording(const std::string& directory,
                              const StepFacts& facts) {
  const std::string prefix =
      absl::StrCat(directory, "/", facts.cluster, "_", facts.job_id, "/step_",
                   facts.step_id, "/proc_", facts.process_id);
  std::error_code error;
  for (const char* const suffix : {".csv", ".meta.txt"}) {
    if (fs::exists(prefix + suffix, error)) return prefix + suffix;
  }
  return "";
}

// Returns only if it fails.
int Become(std::vector<std::string> command) {
  std::error_code error;
  const fs::path own = fs::read_symlink("/proc/self/exe", error);
  const std::string beside = (own.parent_path() / command[0]).string();
  std::vector<char*> arguments;
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execv(beside.c_str(), arguments.data());
  execvp(command[0].c_str(), arguments.data());
  return Refuse(
      MakePlainError(gssr_messages::kFrontProgram, {{"program", command[0]}}),
      kCommandNotFound);
}

int Main(int argc, char** argv) {
  const StepFacts facts = ReadStepFacts(gpu::ProcessEnvironment);
  const auto arguments =
      ParseFrontArguments({argv + 1, argv + argc}, facts.job_id);
  if (!arguments.ok()) return Refuse(arguments.status(), kWrongUse);
  if (arguments->command.empty()) {
    puts(FormatMessage(gssr_messages::kFrontUsage).c_str());
    return 0;
  }
  std::string existing = arguments->new_file;
  std::error_code error;
  if (!fs::exists(existing, error)) existing.clear();
  if (!arguments->recording_folder.empty()) {
    existing = ExistingRecording(arguments->recording_folder, facts);
  }
  if (!existing.empty()) {
    return Refuse(
        MakePlainError(gssr_messages::kFrontExists, {{"path", existing}}),
        kRefused);
  }
  if (arguments->is_silent) {
    const int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null >= 0) dup2(null, STDOUT_FILENO);
  }
  return Become(arguments->command);
}

}  // namespace
}  // namespace carme::gssr

int main(int argc, char** argv) { return carme::gssr::Main(argc, argv); }
