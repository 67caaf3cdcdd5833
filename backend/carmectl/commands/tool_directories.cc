#include "backend/carmectl/commands/tool_directories.h"

#include <cstdlib>
#include <filesystem>

#include "absl/strings/str_split.h"

namespace carme::carmectl {

std::vector<std::string> ToolDirectories() {
  std::error_code error;
  const std::filesystem::path self =
      std::filesystem::read_symlink("/proc/self/exe", error);
  const std::filesystem::path prefix = self.parent_path().parent_path();
  std::vector<std::string> directories;
  if (!error) {
    for (const char* const part :
         {"sbin", "libexec/carme-backend", "libexec/carme", "bin"}) {
      directories.push_back(prefix / part);
    }
  }
  const char* const path = std::getenv("PATH");
  for (absl::string_view each :
       absl::StrSplit(path == nullptr ? "" : path, ':', absl::SkipEmpty())) {
    if (each[0] == '/') directories.emplace_back(each);
  }
  for (const char* const usual :
       {"/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin",
        "/usr/local/libexec/carme", "/usr/libexec/carme",
        "/usr/local/libexec/carme-backend", "/usr/libexec/carme-backend"}) {
    directories.emplace_back(usual);
  }
  return directories;
}

}  // namespace carme::carmectl
