#include "common/edf/files.h"

#include <sys/stat.h>

#include <cerrno>

#include "common/edf/messages.h"
#include "common/file.h"

namespace carme {
namespace {

// Errors other than a missing file are reported when the file is read.
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
        return MakePlainError(edf_messages::kNoFiles);
      },
      .kind = [](const std::string&) { return EdfFileKind::kUnknown; }};
}

}  // namespace carme
