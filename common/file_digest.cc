#include "common/file_digest.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/strings/escaping.h"
#include "common/status.h"

namespace carme {
namespace {

constexpr size_t kPieceBytes = 1 << 20;

}  // namespace

absl::StatusOr<std::string> Sha256OfFile(int fd) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(
      EVP_MD_CTX_new(), EVP_MD_CTX_free);
  if (context == nullptr ||
      EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) != 1) {
    return absl::InternalError("SHA-256 cannot be computed");
  }
  posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
  std::vector<char> piece(kPieceBytes);
  off_t at = 0;
  while (true) {
    const ssize_t got = pread(fd, piece.data(), piece.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ErrnoError(errno, "read the file");
    if (got == 0) break;
    EVP_DigestUpdate(context.get(), piece.data(), static_cast<size_t>(got));
    at += got;
  }
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned int size = 0;
  EVP_DigestFinal_ex(context.get(), digest, &size);
  return absl::BytesToHexString(
      absl::string_view(reinterpret_cast<const char*>(digest), size));
}

bool IsDigest(const std::string& text) {
  return text.size() == kDigestDigits &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
         });
}

}  // namespace carme
