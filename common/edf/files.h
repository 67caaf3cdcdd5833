// The file system as environments see it, so that one renderer serves a user
// on a login node and the backend, which must not touch users' files.
#ifndef CARME_COMMON_EDF_FILES_H_
#define CARME_COMMON_EDF_FILES_H_

#include <cstddef>
#include <functional>
#include <string>

#include "absl/status/statusor.h"

namespace carme {

enum class EdfFileKind {
  kMissing,
  kRegular,
  kOther,    // a directory, a device
  kUnknown,  // nobody looked: what needs it is not checked
};

// Both may block; both are called from the thread that renders.
struct EdfFiles {
  // RESOURCE_EXHAUSTED when longer than `max_bytes`.
  std::function<absl::StatusOr<std::string>(const std::string& path,
                                            size_t max_bytes)>
      read;
  std::function<EdfFileKind(const std::string& path)> kind;
};

// The real files, with the rights of this process. Links are followed.
EdfFiles RealEdfFiles();

// No file at all: for a text that has been rendered before.
EdfFiles NoEdfFiles();

}  // namespace carme

#endif  // CARME_COMMON_EDF_FILES_H_
