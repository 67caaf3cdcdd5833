#include "common/net/tls_serving.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace carme::net {
namespace {

constexpr int kFailed = -1;
constexpr int kUnknownKey = 0;
constexpr int kGood = 1;
constexpr int kGoodButRenew = 2;

// Where an SSL_CTX keeps the TlsContext it belongs to.
int ContextIndex() {
  static const int index =
      SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

const TlsContext& ContextOf(SSL* ssl) {
  return *static_cast<const TlsContext*>(
      SSL_CTX_get_ex_data(SSL_get_SSL_CTX(ssl), ContextIndex()));
}

bool IsFor(const TlsContext& context, std::string_view name) {
  return X509_check_host(SSL_CTX_get0_certificate(context.get()), name.data(),
                         name.size(),
                         X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS |
                             X509_CHECK_FLAG_NEVER_CHECK_SUBJECT,
                         nullptr) == 1;
}

// Before the certificate and the protocol are chosen.
int SelectByName(SSL* ssl, int*, void*) {
  const char* name = SSL_get_servername(ssl, TLSEXT_NAMETYPE_host_name);
  if (name == nullptr) return SSL_TLSEXT_ERR_NOACK;
  const TlsContext& first = ContextOf(ssl);
  if (IsFor(first, name)) return SSL_TLSEXT_ERR_OK;
  for (const auto& other : first.others()) {
    if (!IsFor(*other, name)) continue;
    return SSL_set_SSL_CTX(ssl, other->get()) != nullptr
               ? SSL_TLSEXT_ERR_OK
               : SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  // The client will not like the certificate; it shall see that.
  return SSL_TLSEXT_ERR_OK;
}

int Staple(SSL* ssl, void*) {
  const std::string& answer = ContextOf(ssl).ocsp_response();
  if (answer.empty()) return SSL_TLSEXT_ERR_NOACK;
  void* copy = OPENSSL_memdup(answer.data(), answer.size());
  if (copy == nullptr) return SSL_TLSEXT_ERR_NOACK;
  SSL_set_tlsext_status_ocsp_resp(ssl, copy, static_cast<long>(answer.size()));
  return SSL_TLSEXT_ERR_OK;
}

const unsigned char* Bytes(const std::string& text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

bool UseMac(EVP_MAC_CTX* mac, const TicketKey& key) {
  char digest[] = "SHA256";
  std::string secret = key.mac;
  OSSL_PARAM params[] = {
      OSSL_PARAM_construct_octet_string(OSSL_MAC_PARAM_KEY, secret.data(),
                                        secret.size()),
      OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
      OSSL_PARAM_construct_end()};
  const bool good = EVP_MAC_CTX_set_params(mac, params) == 1;
  OPENSSL_cleanse(secret.data(), secret.size());
  return good;
}

// SSL_CTX_set_tlsext_ticket_key_evp_cb(3).
int SealTicket(SSL* ssl, unsigned char* name, unsigned char* iv,
               EVP_CIPHER_CTX* cipher, EVP_MAC_CTX* mac, int sealing) {
  const TicketKeys* keys = ContextOf(ssl).ticket_keys();
  if (keys == nullptr) return kFailed;
  const bool tls13 = SSL_version(ssl) >= TLS1_3_VERSION;
  const TicketKeyPtr newest = keys->Newest(tls13);
  if (sealing == 1) {
    if (RAND_bytes(iv, EVP_MAX_IV_LENGTH) != 1) return kFailed;
    std::memcpy(name, newest->name.data(), TicketKey::kNameBytes);
    return EVP_EncryptInit_ex(cipher, EVP_aes_256_cbc(), nullptr,
                              Bytes(newest->cipher), iv) == 1 &&
                   UseMac(mac, *newest)
               ? kGood
               : kFailed;
  }
  const TicketKeyPtr key = keys->Find(
      tls13, {reinterpret_cast<const char*>(name), TicketKey::kNameBytes});
  if (key == nullptr) return kUnknownKey;
  if (EVP_DecryptInit_ex(cipher, EVP_aes_256_cbc(), nullptr, Bytes(key->cipher),
                         iv) != 1 ||
      !UseMac(mac, *key)) {
    return kFailed;
  }
  return key == newest ? kGood : kGoodButRenew;
}

}  // namespace

void ServeWith(const TlsContext& context) {
  SSL_CTX* raw = context.get();
  SSL_CTX_set_ex_data(raw, ContextIndex(), const_cast<TlsContext*>(&context));
  if (!context.others().empty()) {
    SSL_CTX_set_tlsext_servername_callback(raw, SelectByName);
  }
  SSL_CTX_set_tlsext_status_cb(raw, Staple);
  if (context.ticket_keys() != nullptr) {
    SSL_CTX_set_tlsext_ticket_key_evp_cb(raw, SealTicket);
  }
}

}  // namespace carme::net
