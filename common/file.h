// Reads and writes small files as a whole.
#ifndef CARME_COMMON_FILE_H_
#define CARME_COMMON_FILE_H_

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace carme {

// NOT_FOUND, PERMISSION_DENIED; RESOURCE_EXHAUSTED: longer than `max`.
absl::StatusOr<std::string> ReadFile(const std::string& path,
                                     size_t max_bytes = 1 << 20);

// Replaces the file atomically (temporary file, fsync, rename, fsync of the
// directory): readers get the old or the new content, also after a crash.
absl::Status WriteFile(const std::string& path, std::string_view content,
                       mode_t mode);

// The same for a new file. ALREADY_EXISTS: the file exists and is unchanged.
absl::Status WriteNewFile(const std::string& path, std::string_view content,
                          mode_t mode);

// As ReadFile, for a secret: without the last newline. PERMISSION_DENIED: users
// other than its owner and group may read it.
absl::StatusOr<std::string> ReadSecretFile(const std::string& path);

}  // namespace carme

#endif  // CARME_COMMON_FILE_H_
