// Whole small files, read and written without surprises.
#ifndef CARME_COMMON_FILE_H_
#define CARME_COMMON_FILE_H_

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace carme {

// NOT_FOUND, PERMISSION_DENIED; RESOURCE_EXHAUSTED when longer than `most`.
absl::StatusOr<std::string> ReadFile(const std::string& path,
                                     size_t max_bytes = 1 << 20);

// Replaces the file in one step (temporary file, fsync, rename, fsync of the
// directory): a reader sees the old content or the new one, after a crash too.
absl::Status WriteFile(const std::string& path, std::string_view content,
                       mode_t mode);

// The same for a file that is not there yet. ALREADY_EXISTS: it is, and stays
// as it was.
absl::Status WriteNewFile(const std::string& path, std::string_view content,
                          mode_t mode);

// As ReadFile, for a secret: without its last newline, and refused
// (PERMISSION_DENIED) when others than its owner and group may read it.
absl::StatusOr<std::string> ReadSecretFile(const std::string& path);

}  // namespace carme

#endif  // CARME_COMMON_FILE_H_
