#include "tests/support/software_authenticator.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/rsa.h>

#include <stdexcept>

#include "absl/strings/str_cat.h"
#include "common/crypto/hash.h"
#include "common/encoding.h"

namespace carme {
namespace {

// CBOR (RFC 8949): the head of an item with a number below 65,536.
std::string Head(int major, size_t value) {
  const auto first = static_cast<char>(major << 5);
  if (value < 24) return {static_cast<char>(first | static_cast<char>(value))};
  if (value < 256)
    return {static_cast<char>(first | 24), static_cast<char>(value)};
  return {static_cast<char>(first | 25), static_cast<char>(value >> 8),
          static_cast<char>(value & 255)};
}
std::string Bytes(const std::string& bytes) {
  return Head(2, bytes.size()) + bytes;
}
std::string Text(const std::string& text) {
  return Head(3, text.size()) + text;
}
std::string Number(int number) {
  return number < 0 ? Head(1, static_cast<size_t>(-1 - number))
                    : Head(0, static_cast<size_t>(number));
}

EVP_PKEY* NewKey(int algorithm) {
  switch (algorithm) {
    case -7:
      return EVP_PKEY_Q_keygen(nullptr, nullptr, "EC", "P-256");
    case -8:
      return EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519");
    default:
      return EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", size_t{2048});
  }
}

std::string NumberOf(const EVP_PKEY* key, const char* name, int length) {
  BIGNUM* number = nullptr;
  if (EVP_PKEY_get_bn_param(key, name, &number) != 1) {
    throw std::runtime_error(name);
  }
  std::string bytes(static_cast<size_t>(length), '\0');
  BN_bn2binpad(number, reinterpret_cast<unsigned char*>(bytes.data()), length);
  BN_free(number);
  return bytes;
}

std::string RawPublicKey(const EVP_PKEY* key) {
  std::string bytes(32, '\0');
  size_t length = bytes.size();
  EVP_PKEY_get_raw_public_key(
      key, reinterpret_cast<unsigned char*>(bytes.data()), &length);
  return bytes;
}

}  // namespace

SoftwareAuthenticator::SoftwareAuthenticator(int algorithm,
                                             const backend::PasskeySite& site)
    : origin(site.origin),
      rp_id(site.rp_id),
      algorithm_(algorithm),
      key_(NewKey(algorithm)) {
  if (key_ == nullptr) throw std::runtime_error("no key");
}

SoftwareAuthenticator::~SoftwareAuthenticator() { EVP_PKEY_free(key_); }

std::string SoftwareAuthenticator::ClientData(const std::string& type,
                                              const std::string& challenge) {
  return absl::StrCat("{\"type\":\"", type, "\",\"challenge\":\"",
                      Base64UrlEncode(challenge), "\",\"origin\":\"", origin,
                      "\"", more_client_data, "}");
}

std::string SoftwareAuthenticator::AuthenticatorData(uint8_t more_flags) const {
  std::string data = Sha256(rp_id);
  const uint8_t extended = extensions.empty() ? 0x00 : 0x80;
  data.push_back(static_cast<char>(flags | more_flags | extended));
  for (const int shift : {24, 16, 8, 0}) {
    data.push_back(static_cast<char>(counter >> shift & 255));
  }
  return data;
}

std::string SoftwareAuthenticator::CoseKey() const {
  switch (algorithm_) {
    case -7:
      return absl::StrCat(Head(5, 5), Number(1), Number(2), Number(3),
                          Number(-7), Number(-1), Number(1), Number(-2),
                          Bytes(NumberOf(key_, OSSL_PKEY_PARAM_EC_PUB_X, 32)),
                          Number(-3),
                          Bytes(NumberOf(key_, OSSL_PKEY_PARAM_EC_PUB_Y, 32)));
    case -8:
      return absl::StrCat(Head(5, 4), Number(1), Number(1), Number(3),
                          Number(-8), Number(-1), Number(6), Number(-2),
                          Bytes(RawPublicKey(key_)));
    default:
      return absl::StrCat(
          Head(5, 4), Number(1), Number(3), Number(3), Number(-257), Number(-1),
          Bytes(NumberOf(key_, OSSL_PKEY_PARAM_RSA_N, 256)), Number(-2),
          Bytes(NumberOf(key_, OSSL_PKEY_PARAM_RSA_E, 3)));
  }
}

backend::PasskeyCreated SoftwareAuthenticator::Create(
    const std::string& challenge) {
  std::string data = AuthenticatorData(0x40);
  data += std::string(16, '\0');  // AAGUID: not stated
  data.push_back(static_cast<char>(credential_id.size() >> 8));
  data.push_back(static_cast<char>(credential_id.size() & 255));
  data += credential_id + CoseKey() + extensions;
  return {.client_data_json = ClientData(create_type, challenge),
          .attestation_object =
              absl::StrCat(Head(5, 3), Text("fmt"), Text(fmt), Text("attStmt"),
                           Head(5, 0), Text("authData"), Bytes(data)),
          .name = "a key"};
}

backend::PasskeyAssertion SoftwareAuthenticator::Answer(
    const std::string& challenge) {
  if (counts) ++counter;
  backend::PasskeyAssertion answer{
      .credential_id = credential_id,
      .client_data_json = ClientData(get_type, challenge),
      .authenticator_data = AuthenticatorData(0) + extensions,
      .signature = {}};
  answer.signature =
      Sign(answer.authenticator_data + Sha256(answer.client_data_json));
  return answer;
}

std::string SoftwareAuthenticator::Sign(const std::string& message) const {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(
      EVP_MD_CTX_new(), EVP_MD_CTX_free);
  std::string signature(512, '\0');
  size_t length = signature.size();
  if (EVP_DigestSignInit(context.get(), nullptr,
                         algorithm_ == -8 ? nullptr : EVP_sha256(), nullptr,
                         key_) != 1 ||
      EVP_DigestSign(
          context.get(), reinterpret_cast<unsigned char*>(signature.data()),
          &length, reinterpret_cast<const unsigned char*>(message.data()),
          message.size()) != 1) {
    throw std::runtime_error("cannot sign");
  }
  signature.resize(length);
  return signature;
}

}  // namespace carme
