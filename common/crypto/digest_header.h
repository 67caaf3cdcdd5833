// A first line with a digest, by which the reader of a file detects damage:
// "MAGIC DIGEST\nBODY".
#ifndef CARME_COMMON_CRYPTO_DIGEST_HEADER_H_
#define CARME_COMMON_CRYPTO_DIGEST_HEADER_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace carme {

// `magic` names the format and its version.
std::string AddDigestHeader(std::string_view magic, std::string_view body);

// The body, a part of `text`. INVALID_ARGUMENT: another format, or the digest
// is not that of the body.
absl::StatusOr<std::string_view> RemoveDigestHeader(std::string_view magic,
                                                    std::string_view text);

}  // namespace carme

#endif  // CARME_COMMON_CRYPTO_DIGEST_HEADER_H_
