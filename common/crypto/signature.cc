#include "common/crypto/signature.h"

#include <openssl/evp.h>

#include <cstdlib>
#include <utility>

#include "absl/strings/str_cat.h"

namespace carme {
namespace {

constexpr size_t kKeyBytes = 32;
constexpr size_t kSignatureBytes = 64;

const unsigned char* Bytes(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

using DigestContext = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;
DigestContext NewContext() {
  return DigestContext(EVP_MD_CTX_new(), EVP_MD_CTX_free);
}

std::string Join(std::string_view domain, std::string_view message) {
  std::string whole(domain);
  whole.append(message);
  return whole;
}

absl::Status WrongLength(std::string_view what, size_t found) {
  return absl::InvalidArgumentError(absl::StrCat(
      std::string(what), " has ", found, " bytes: expected ", kKeyBytes));
}

}  // namespace

SigningKey::SigningKey(std::shared_ptr<evp_pkey_st> key)
    : key_(std::move(key)) {}

absl::StatusOr<SigningKey> SigningKey::FromSeed(std::string_view seed) {
  if (seed.size() != kKeyBytes) return WrongLength("signing seed", seed.size());
  std::shared_ptr<EVP_PKEY> key(
      EVP_PKEY_new_raw_private_key(EVP_PKEY_ED25519, nullptr, Bytes(seed),
                                   seed.size()),
      EVP_PKEY_free);
  if (key == nullptr)
    return absl::InvalidArgumentError("unusable signing seed");
  return SigningKey(std::move(key));
}

std::string SigningKey::Sign(std::string_view domain,
                             std::string_view message) const {
  const std::string whole = Join(domain, message);
  std::string signature(kSignatureBytes, '\0');
  size_t length = signature.size();
  DigestContext context = NewContext();
  if (EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr,
                         key_.get()) != 1 ||
      EVP_DigestSign(context.get(),
                     reinterpret_cast<unsigned char*>(signature.data()),
                     &length, Bytes(whole), whole.size()) != 1) {
    std::abort();  // out of memory, or a libcrypto without Ed25519
  }
  return signature;
}

std::string SigningKey::PublicKey() const {
  std::string raw(kKeyBytes, '\0');
  size_t length = raw.size();
  EVP_PKEY_get_raw_public_key(
      key_.get(), reinterpret_cast<unsigned char*>(raw.data()), &length);
  return raw;
}

VerifyingKey::VerifyingKey(std::shared_ptr<evp_pkey_st> key)
    : key_(std::move(key)) {}

absl::StatusOr<VerifyingKey> VerifyingKey::FromRaw(std::string_view raw) {
  if (raw.size() != kKeyBytes) return WrongLength("public key", raw.size());
  std::shared_ptr<EVP_PKEY> key(
      EVP_PKEY_new_raw_public_key(EVP_PKEY_ED25519, nullptr, Bytes(raw),
                                  raw.size()),
      EVP_PKEY_free);
  if (key == nullptr) return absl::InvalidArgumentError("unusable public key");
  return VerifyingKey(std::move(key));
}

bool VerifyingKey::Verify(std::string_view domain, std::string_view message,
                          std::string_view signature) const {
  const std::string whole = Join(domain, message);
  DigestContext context = NewContext();
  return EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr,
                              key_.get()) == 1 &&
         EVP_DigestVerify(context.get(), Bytes(signature), signature.size(),
                          Bytes(whole), whole.size()) == 1;
}

}  // namespace carme
