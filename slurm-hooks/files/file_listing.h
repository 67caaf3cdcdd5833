// What the page shows of directories.
#ifndef CARME_SLURM_HOOKS_FILES_FILE_LISTING_H_
#define CARME_SLURM_HOOKS_FILES_FILE_LISTING_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace carme::files {

// A place that the page offers.
struct FilePlace {
  std::string name;  // "home", "scratch", or a name of the site
  std::string path;
};

// All functions return JSON as README.md describes it, and block.

// Leaves out places that do not exist.
std::string PlacesJson(const std::vector<FilePlace>& places);

// The errors of opening and reading a directory.
absl::StatusOr<std::string> ListJson(const std::string& path);

// Files below `path` whose names contain `name`, ignoring the case of ASCII
// letters. Follows no links below `path`; skips what it may not read.
absl::StatusOr<std::string> SearchJson(const std::string& path,
                                       std::string_view name);

}  // namespace carme::files

#endif  // CARME_SLURM_HOOKS_FILES_FILE_LISTING_H_
