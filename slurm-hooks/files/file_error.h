// Errors of file operations, with a code for the page.
#ifndef CARME_SLURM_HOOKS_FILES_FILE_ERROR_H_
#define CARME_SLURM_HOOKS_FILES_FILE_ERROR_H_

#include <string_view>

#include "absl/status/status.h"

namespace carme::files {

// The code and the HTTP status of an error, as README.md lists them.
struct ErrorCode {
  std::string_view name;  // "not_found"
  unsigned http_status;
};

inline constexpr ErrorCode kBadRequest{"bad_request", 400};
inline constexpr ErrorCode kForbidden{"forbidden", 403};
inline constexpr ErrorCode kNotFound{"not_found", 404};
inline constexpr ErrorCode kExists{"exists", 409};
inline constexpr ErrorCode kOffset{"offset", 409};
inline constexpr ErrorCode kChanged{"changed", 412};
inline constexpr ErrorCode kTooLarge{"too_large", 413};
inline constexpr ErrorCode kIsFolder{"is_folder", 422};
inline constexpr ErrorCode kNotFolder{"not_folder", 422};
inline constexpr ErrorCode kNotEmpty{"not_empty", 422};
inline constexpr ErrorCode kOtherFileSystem{"other_file_system", 422};
inline constexpr ErrorCode kFailed{"failed", 500};
inline constexpr ErrorCode kBusy{"busy", 503};
inline constexpr ErrorCode kNoSpace{"no_space", 507};

// An error with this code; `text` is for people.
absl::Status FileError(const ErrorCode& code, std::string_view text);

// An error of a system call: as ErrnoError(), with the code for `error`.
absl::Status FileErrno(int error, std::string_view what);

// The code of FileError() and FileErrno(); of another status: by its own code.
ErrorCode ErrorCodeOf(const absl::Status& status);

}  // namespace carme::files

#endif  // CARME_SLURM_HOOKS_FILES_FILE_ERROR_H_
