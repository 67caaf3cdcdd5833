#include "common/crypto/file_digest.h"

#include <fcntl.h>
#include <openssl/evp.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>
#include <vector>

#include "absl/strings/escaping.h"
#include "common/name_rules.h"
#include "common/status.h"

namespace carme {
namespace {

constexpr size_t kPieceBytes = 1 << 20;

class Digest {
 public:
  Digest()
      : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free),
        ok_(context_ != nullptr &&
            EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1) {}
  bool ok() const { return ok_; }
  void Add(const char* bytes, size_t size) {
    EVP_DigestUpdate(context_.get(), bytes, size);
  }
  std::string Hex() {
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int size = 0;
    EVP_DigestFinal_ex(context_.get(), digest, &size);
    return absl::BytesToHexString(
        absl::string_view(reinterpret_cast<const char*>(digest), size));
  }

 private:
  std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context_;
  bool ok_;
};

absl::Status NoDigest() {
  return absl::InternalError("SHA-256 cannot be computed");
}

}  // namespace

absl::StatusOr<std::string> Sha256OfFile(int fd) {
  Digest digest;
  if (!digest.ok()) return NoDigest();
  posix_fadvise(fd, 0, 0, POSIX_FADV_SEQUENTIAL);
  std::vector<char> piece(kPieceBytes);
  off_t at = 0;
  while (true) {
    const ssize_t got = pread(fd, piece.data(), piece.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ErrnoError(errno, "read the file");
    if (got == 0) break;
    digest.Add(piece.data(), static_cast<size_t>(got));
    at += got;
  }
  return digest.Hex();
}

absl::StatusOr<std::string> CopyWithSha256(int from, int to, int64_t size,
                                           const std::string& what) {
  Digest digest;
  if (!digest.ok()) return NoDigest();
  posix_fadvise(from, 0, 0, POSIX_FADV_SEQUENTIAL);
  std::vector<char> piece(kPieceBytes);
  while (size > 0) {
    const ssize_t got = read(from, piece.data(),
                             static_cast<size_t>(std::min<int64_t>(
                                 size, static_cast<int64_t>(piece.size()))));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ErrnoError(errno, what);
    if (got == 0) break;
    digest.Add(piece.data(), static_cast<size_t>(got));
    size -= got;
    ssize_t put = 0;
    while (put < got) {
      const ssize_t now =
          write(to, piece.data() + put, static_cast<size_t>(got - put));
      if (now < 0 && errno == EINTR) continue;
      if (now < 0) return ErrnoError(errno, what);
      put += now;
    }
  }
  return digest.Hex();
}

bool IsDigest(const std::string& text) { return kSha256HexRule.Allows(text); }

}  // namespace carme
