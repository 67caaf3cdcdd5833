// The SHA-256 of a large file, as lower-case hexadecimal.
#ifndef CARME_COMMON_CRYPTO_FILE_DIGEST_H_
#define CARME_COMMON_CRYPTO_FILE_DIGEST_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace carme {

inline constexpr size_t kDigestDigits = 64;

// Reads the whole file: about a second per GB. Errors of read(2).
absl::StatusOr<std::string> Sha256OfFile(int fd);

// Copies up to `size` bytes and returns the digest of the bytes that were
// written, because a second read could return other bytes. Errors of read(2)
// and write(2), with the prefix `what`.
absl::StatusOr<std::string> CopyWithSha256(int from, int to, int64_t size,
                                           const std::string& what);

// Whether `text` has the form of such a digest.
bool IsDigest(const std::string& text);

}  // namespace carme

#endif  // CARME_COMMON_CRYPTO_FILE_DIGEST_H_
