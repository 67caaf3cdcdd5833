// Ed25519 signatures with a domain string before the message, so that a
// signature for one purpose is not valid for another.
#ifndef CARME_COMMON_CRYPTO_SIGNATURE_H_
#define CARME_COMMON_CRYPTO_SIGNATURE_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

struct evp_pkey_st;

namespace carme {

// Thread-safe after construction.
class SigningKey {
 public:
  // `seed` is 32 bytes. INVALID_ARGUMENT.
  static absl::StatusOr<SigningKey> FromSeed(std::string_view seed);
  std::string Sign(std::string_view domain, std::string_view message) const;
  std::string PublicKey() const;  // 32 raw bytes

 private:
  explicit SigningKey(std::shared_ptr<evp_pkey_st> key);
  std::shared_ptr<evp_pkey_st> key_;
};

// Thread-safe after construction.
class VerifyingKey {
 public:
  // `raw` is 32 bytes. INVALID_ARGUMENT.
  static absl::StatusOr<VerifyingKey> FromRaw(std::string_view raw);
  bool Verify(std::string_view domain, std::string_view message,
              std::string_view signature) const;

 private:
  explicit VerifyingKey(std::shared_ptr<evp_pkey_st> key);
  std::shared_ptr<evp_pkey_st> key_;
};

// The domains in use. The zero byte that ends each one is part of it.
inline constexpr std::string_view kTicketDomain{"carme-ticket-v1\0", 16};
inline constexpr std::string_view kGrantDomain{"carme-grant-v1\0", 15};
// Never published: the proxies' cookie key is derived from this signature.
inline constexpr std::string_view kCookieKeyDomain{"carme-cookie-key-v1\0", 20};
inline constexpr std::string_view kAssertionDomain{"carme-assertion-v1\0", 19};

}  // namespace carme

#endif  // CARME_COMMON_CRYPTO_SIGNATURE_H_
