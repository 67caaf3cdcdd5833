#include "common/pki/file_watch.h"

#include <sys/stat.h>

#include <utility>

#include "absl/strings/str_cat.h"

namespace carme {

FileWatch::FileWatch(std::vector<std::string> paths)
    : paths_(std::move(paths)), seen_(ReadStates()) {}

bool FileWatch::Changed() {
  std::vector<std::string> now = ReadStates();
  if (now == seen_) return false;
  seen_ = std::move(now);
  return true;
}

std::vector<std::string> FileWatch::ReadStates() const {
  std::vector<std::string> seen;
  for (const std::string& path : paths_) {
    struct stat info {};
    const bool there = !path.empty() && stat(path.c_str(), &info) == 0;
    seen.push_back(
        there
            ? absl::StrCat(info.st_dev, " ", info.st_ino, " ", info.st_size,
                           " ", info.st_mtim.tv_sec, ".", info.st_mtim.tv_nsec,
                           " ", info.st_ctim.tv_sec, ".", info.st_ctim.tv_nsec)
            : "");
  }
  return seen;
}

}  // namespace carme
