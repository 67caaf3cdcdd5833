#include "slurm-hooks/file_tree/directory.h"

#include <dirent.h>
#include <fcntl.h>

#include <cerrno>
#include <memory>

#include "absl/strings/str_cat.h"
#include "common/status.h"

namespace carme::node {

absl::StatusOr<std::vector<std::string>> ReadDirectory(
    int directory, const std::string& shown) {
  const int again = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  std::unique_ptr<DIR, int (*)(DIR*)> stream(
      again >= 0 ? fdopendir(again) : nullptr, closedir);
  if (stream == nullptr) {
    return ErrnoError(errno, absl::StrCat("read \"", shown, "\""));
  }
  std::vector<std::string> names;
  while (true) {
    errno = 0;
    const dirent* entry = readdir(stream.get());
    if (entry == nullptr) break;
    const std::string name = entry->d_name;
    if (name != "." && name != "..") names.push_back(name);
  }
  if (errno != 0) {
    return ErrnoError(errno, absl::StrCat("read \"", shown, "\""));
  }
  return names;
}

}  // namespace carme::node
