#include "proxy/access/grant_cookie.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <cstdlib>
#include <optional>
#include <utility>

#include "common/encoding.h"
#include "common/file.h"
#include "common/random.h"
#include "common/status.h"
#include "proxy/access/messages.h"

namespace carme::proxy {
namespace {

constexpr size_t kNonceBytes = 12;
constexpr size_t kTagBytes = 16;
constexpr size_t kMaxValueBytes = 8192;

unsigned char* Bytes(std::string& text, size_t at = 0) {
  return reinterpret_cast<unsigned char*>(text.data() + at);
}
const unsigned char* Bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

}  // namespace

GrantCookieSealer::GrantCookieSealer(std::string key)
    : key_(std::move(key)),
      // Fetched once, because a lookup by name for each use is slow.
      algorithm_(EVP_CIPHER_fetch(nullptr, "AES-256-GCM", nullptr)),
      cipher_(EVP_CIPHER_CTX_new()) {
  if (algorithm_ == nullptr || cipher_ == nullptr || key_.size() != kKeyBytes) {
    std::abort();
  }
}

GrantCookieSealer::~GrantCookieSealer() {
  EVP_CIPHER_CTX_free(cipher_);
  EVP_CIPHER_free(algorithm_);
  OPENSSL_cleanse(key_.data(), key_.size());
}

std::string GrantCookieSealer::Seal(std::string_view label,
                                    std::string_view signed_grant) {
  // A random nonce of 96 bits; a key seals far fewer than 2^32 cookies.
  std::string sealed = RandomBytes(kNonceBytes);
  sealed.resize(kNonceBytes + signed_grant.size() + kTagBytes);
  int size = 0;
  bool good =
      EVP_EncryptInit_ex(cipher_, algorithm_, nullptr, Bytes(key_),
                         Bytes(sealed)) == 1 &&
      EVP_EncryptUpdate(cipher_, nullptr, &size, Bytes(label),
                        static_cast<int>(label.size())) == 1 &&
      EVP_EncryptUpdate(cipher_, Bytes(sealed, kNonceBytes), &size,
                        Bytes(signed_grant),
                        static_cast<int>(signed_grant.size())) == 1 &&
      EVP_EncryptFinal_ex(cipher_, nullptr, &size) == 1 &&
      EVP_CIPHER_CTX_ctrl(cipher_, EVP_CTRL_GCM_GET_TAG, kTagBytes,
                          Bytes(sealed, sealed.size() - kTagBytes)) == 1;
  if (!good) std::abort();  // only with a broken OpenSSL
  return Base64UrlEncode(sealed);
}

absl::StatusOr<std::string> GrantCookieSealer::Open(std::string_view label,
                                                    std::string_view value) {
  const absl::Status refused =
      MakePlainError(proxy_access_messages::kCookieInvalid);
  if (value.size() > kMaxValueBytes) return refused;
  std::optional<std::string> sealed = Base64UrlDecode(value);
  if (!sealed || sealed->size() <= kNonceBytes + kTagBytes) return refused;
  std::string_view cipher_text = *sealed;
  cipher_text.remove_prefix(kNonceBytes);
  cipher_text.remove_suffix(kTagBytes);
  std::string grant(cipher_text.size(), '\0');
  int size = 0;
  bool good =
      EVP_DecryptInit_ex(cipher_, algorithm_, nullptr, Bytes(key_),
                         Bytes(*sealed)) == 1 &&
      EVP_DecryptUpdate(cipher_, nullptr, &size, Bytes(label),
                        static_cast<int>(label.size())) == 1 &&
      EVP_DecryptUpdate(cipher_, Bytes(grant), &size, Bytes(cipher_text),
                        static_cast<int>(cipher_text.size())) == 1 &&
      EVP_CIPHER_CTX_ctrl(cipher_, EVP_CTRL_GCM_SET_TAG, kTagBytes,
                          Bytes(*sealed, sealed->size() - kTagBytes)) == 1 &&
      EVP_DecryptFinal_ex(cipher_, nullptr, &size) == 1;
  if (!good) return refused;
  return grant;
}

absl::StatusOr<std::string> LoadOrCreateCookieKey(
    const std::string& directory) {
  const std::string path = directory + "/cookie.key";
  absl::StatusOr<std::string> text = ReadSecretFile(path);
  if (absl::IsNotFound(text.status())) {
    std::string key = RandomBytes(GrantCookieSealer::kKeyBytes);
    RETURN_IF_ERROR(WriteFile(path, HexEncode(key) + "\n", 0600));
    return key;
  }
  if (!text.ok()) return text.status();
  std::string key;
  for (size_t i = 0; i + 1 < text->size(); i += 2) {
    char* end = nullptr;
    const std::string pair = text->substr(i, 2);
    key += static_cast<char>(std::strtol(pair.c_str(), &end, 16));
    if (*end != '\0') key.clear();
  }
  if (key.size() != GrantCookieSealer::kKeyBytes || text->size() != 64) {
    return MakePlainError(proxy_access_messages::kCookieKey, {{"path", path}});
  }
  return key;
}

}  // namespace carme::proxy
