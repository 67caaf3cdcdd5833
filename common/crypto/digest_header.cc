#include "common/crypto/digest_header.h"

#include "absl/status/status.h"
#include "common/crypto/file_digest.h"
#include "common/crypto/hash.h"
#include "common/encoding.h"

namespace carme {

std::string AddDigestHeader(std::string_view magic, std::string_view body) {
  std::string text(magic);
  text += ' ';
  text += HexEncode(Sha256(body));
  text += '\n';
  text += body;
  return text;
}

absl::StatusOr<std::string_view> RemoveDigestHeader(std::string_view magic,
                                                    std::string_view text) {
  const size_t digest = magic.size() + 1;
  const size_t end = digest + kDigestDigits;
  if (text.size() <= end || text.substr(0, magic.size()) != magic ||
      text[digest - 1] != ' ' || text[end] != '\n') {
    return absl::InvalidArgumentError("unknown format");
  }
  const std::string_view body = text.substr(end + 1);
  if (text.substr(digest, kDigestDigits) != HexEncode(Sha256(body))) {
    return absl::InvalidArgumentError("digest mismatch");
  }
  return body;
}

}  // namespace carme
