#include "backend/carmectl/doctor/checks/process_list.h"

#include <filesystem>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "common/file.h"

namespace carme::carmectl {
namespace {

namespace fs = std::filesystem;

// "/usr/sbin/carme-proxy (deleted)" after an upgrade.
bool IsProgram(const fs::path& executable, const std::string& program) {
  const std::string name = executable.filename().string();
  return name == program || name == program + " (deleted)";
}

std::optional<int64_t> MaxOpenFiles(const fs::path& process) {
  const auto limits = ReadFile(process / "limits");
  if (!limits.ok()) return std::nullopt;
  for (absl::string_view line : absl::StrSplit(*limits, '\n')) {
    if (!absl::StartsWith(line, "Max open files")) continue;
    const std::vector<std::string> words =
        absl::StrSplit(line, ' ', absl::SkipEmpty());
    int64_t soft = 0;
    if (words.size() > 3 && absl::SimpleAtoi(words[3], &soft)) return soft;
  }
  return std::nullopt;
}

std::vector<std::string> OpenFiles(const fs::path& process) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(process / "fd", error)) {
    const fs::path target = fs::read_symlink(entry.path(), error);
    if (!error) files.push_back(target.string());
  }
  return files;
}

}  // namespace

std::vector<ProgramProcess> ProcessesOf(const Host& host,
                                        const std::string& program) {
  std::vector<ProgramProcess> processes;
  std::error_code error;
  for (const auto& entry :
       fs::directory_iterator(host.SystemPath("/proc"), error)) {
    int pid = 0;
    if (!absl::SimpleAtoi(entry.path().filename().string(), &pid)) continue;
    const fs::path executable = fs::read_symlink(entry.path() / "exe", error);
    if (error || !IsProgram(executable, program)) continue;
    processes.push_back({.pid = pid,
                         .open_files = OpenFiles(entry.path()),
                         .max_open_files = MaxOpenFiles(entry.path())});
  }
  return processes;
}

}  // namespace carme::carmectl
