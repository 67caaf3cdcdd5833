// The file access of the renderer, so that the same renderer serves a user on a
// login node and the backend, which must not access users' files.
#ifndef CARME_COMMON_EDF_FILES_H_
#define CARME_COMMON_EDF_FILES_H_

#include <cstddef>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/display_text.h"

namespace carme {

enum class EdfFileKind {
  kMissing,
  kRegular,
  kOther,    // a directory, a device
  kUnknown,  // not checked; rules that need it are skipped
};

// The first two functions may block. They are called on the rendering thread.
struct EdfFiles {
  // RESOURCE_EXHAUSTED: longer than `max_bytes`.
  std::function<absl::StatusOr<std::string>(const std::string& path,
                                            size_t max_bytes)>
      read;
  std::function<EdfFileKind(const std::string& path)> kind;
  // The text of an error of `read`. Absent: the status's message.
  std::function<DisplayText(const absl::Status&)> explain = {};
};

// The files of the system, with the permissions of this process. Follows links.
EdfFiles RealEdfFiles();

// No files: for a text that was rendered before.
EdfFiles NoEdfFiles();

}  // namespace carme

#endif  // CARME_COMMON_EDF_FILES_H_
