#include "backend/carmectl/doctor/host/file_rules.h"

#include <filesystem>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace carme::carmectl {

std::optional<struct stat> StatFile(const std::string& path) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) return std::nullopt;
  return info;
}

std::string WriteAccessProblem(const std::string& path, uid_t root_uid) {
  const std::string directory =
      std::filesystem::path(path).parent_path().string();
  for (const std::string& each : {path, directory}) {
    const auto info = StatFile(each);
    if (!info) return absl::StrCat("\"", each, "\" cannot be read");
    if (info->st_uid != root_uid) {
      return absl::StrCat("\"", each, "\" belongs to uid ", info->st_uid);
    }
    const bool sticky = S_ISDIR(info->st_mode) && (info->st_mode & S_ISVTX);
    if ((info->st_mode & 0022) != 0 && !sticky) {
      return absl::StrFormat("\"%s\" has mode %03o", each,
                             info->st_mode & 0777);
    }
  }
  return "";
}

}  // namespace carme::carmectl
