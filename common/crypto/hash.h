// SHA-256, and a comparison in constant time.
#ifndef CARME_COMMON_CRYPTO_HASH_H_
#define CARME_COMMON_CRYPTO_HASH_H_

#include <string>
#include <string_view>

namespace carme {

std::string Sha256(std::string_view bytes);  // 32 raw bytes
bool EqualInConstantTime(std::string_view a, std::string_view b);

}  // namespace carme

#endif  // CARME_COMMON_CRYPTO_HASH_H_
