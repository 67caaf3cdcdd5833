// The target of a request: a path of the API, and its parameters.
#ifndef CARME_SLURM_HOOKS_FILES_REQUEST_TARGET_H_
#define CARME_SLURM_HOOKS_FILES_REQUEST_TARGET_H_

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"

namespace carme::files {

class RequestTarget {
 public:
  // INVALID_ARGUMENT: an invalid percent-encoding, or a parameter twice.
  static absl::StatusOr<RequestTarget> Parse(std::string_view target);

  const std::string& path() const { return path_; }  // "/api/list"
  std::optional<std::string> Find(std::string_view name) const;
  // The parameter as the path of a file. INVALID_ARGUMENT: missing, or not
  // absolute, with "." or "..", with a NUL byte, or too long.
  absl::StatusOr<std::string> FilePath(std::string_view name = "path") const;

 private:
  std::string path_;
  std::vector<std::pair<std::string, std::string>> parameters_;
};

// Bytes that are not unreserved in RFC 3986, and not "/", become "%XX".
std::string PercentEncode(std::string_view bytes);

// The last component of an absolute path; empty for "/".
std::string_view FileName(std::string_view path);
// All before it; "/" for the files of the root.
std::string ParentPath(std::string_view path);

}  // namespace carme::files

#endif  // CARME_SLURM_HOOKS_FILES_REQUEST_TARGET_H_
