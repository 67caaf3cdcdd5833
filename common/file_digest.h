// The SHA-256 of a large file, as lower-case hexadecimal.
#ifndef CARME_COMMON_FILE_DIGEST_H_
#define CARME_COMMON_FILE_DIGEST_H_

#include <string>

#include "absl/status/statusor.h"

namespace carme {

inline constexpr size_t kDigestDigits = 64;

// Reads the whole of it: a second or so a GB. Errors of read(2).
absl::StatusOr<std::string> Sha256OfFile(int fd);

// Whether `text` could be one.
bool IsDigest(const std::string& text);

}  // namespace carme

#endif  // CARME_COMMON_FILE_DIGEST_H_
