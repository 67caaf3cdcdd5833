#include "common/crypto/hash.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <cstdlib>

namespace carme {

std::string Sha256(std::string_view bytes) {
  std::string digest(32, '\0');
  size_t length = 0;
  if (EVP_Q_digest(nullptr, "SHA256", nullptr, bytes.data(), bytes.size(),
                   reinterpret_cast<unsigned char*>(digest.data()),
                   &length) != 1) {
    std::abort();  // libcrypto without SHA-256
  }
  return digest;
}

bool EqualInConstantTime(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace carme
