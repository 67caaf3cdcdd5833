#include "slurm-hooks/cli/image_store.h"

#include <limits.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"

namespace carme {

absl::StatusOr<ImageStore> ImageStore::OfProcess() {
  const std::pair<const char*, const char*> places[] = {
      {"EDF_IMAGESTORE", ""},
      {"SCRATCH", "/.edf_imagestore"},
      {"HOME", "/.edf_imagestore"}};
  for (const auto& [variable, below] : places) {
    const char* const value = getenv(variable);
    if (value != nullptr && value[0] == '/') {
      return ImageStore(absl::StrCat(value, below));
    }
  }
  return absl::FailedPreconditionError(
      "there is no folder for images: expected EDF_IMAGESTORE, SCRATCH or "
      "HOME to be an absolute path");
}

std::string ImageStore::PathOf(const std::string& digest) const {
  return absl::StrCat(folder_, "/sha256-", digest, ".sqsh");
}

std::string ImageStore::LinkOf(const EdfImage& image) const {
  EdfImage named = image;
  named.user.clear();
  if (named.tag.empty() && named.digest.empty()) named.tag = "latest";
  return absl::StrCat(folder_, "/",
                      absl::StrReplaceAll(ImageText(named), {{"/", "+"}}));
}

std::optional<std::string> ImageStore::Find(const EdfImage& image) const {
  char real[PATH_MAX];
  if (realpath(LinkOf(image).c_str(), real) == nullptr ||
      access(real, R_OK) != 0) {
    return std::nullopt;
  }
  return real;
}

}  // namespace carme
