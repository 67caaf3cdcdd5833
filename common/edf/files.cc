#include "common/edf/files.h"

#include <sys/stat.h>

#include <cerrno>

#include "common/file.h"

namespace carme {
namespace {

// What cannot be looked at for another reason than that it is missing is read,
// and the reading says why not.
EdfFileKind KindOf(const std::string& path) {
  struct stat found;
  if (stat(path.c_str(), &found) != 0) {
    const bool missing = errno == ENOENT || errno == ENOTDIR;
    return missing ? EdfFileKind::kMissing : EdfFileKind::kUnknown;
  }
  return S_ISREG(found.st_mode) ? EdfFileKind::kRegular : EdfFileKind::kOther;
}

}  // namespace

EdfFiles RealEdfFiles() {
  return {.read = [](const std::string& path,
                     size_t max_bytes) { return ReadFile(path, max_bytes); },
          .kind = KindOf};
}

EdfFiles NoEdfFiles() {
  return {
      .read = [](const std::string&, size_t) -> absl::StatusOr<std::string> {
        return absl::NotFoundError("no files here");
      },
      .kind = [](const std::string&) { return EdfFileKind::kUnknown; }};
}

}  // namespace carme
