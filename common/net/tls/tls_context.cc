#include "common/net/tls/tls_context.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "absl/strings/str_split.h"

namespace carme::net {

// Only for TlsContext::Server, after everything else is configured.
void ServeWith(const TlsContext& context);

namespace {

// Forward secrecy and authenticated encryption only (RFC 9325 section 4.2).
constexpr char kTls12Ciphers[] = "ECDHE+AESGCM:ECDHE+CHACHA20";
constexpr char kTls13Ciphers[] =
    "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:"
    "TLS_CHACHA20_POLY1305_SHA256";
constexpr char kGroups[] = "X25519:P-256:P-384";

struct OpenSslFree {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using BioPtr = std::unique_ptr<BIO, OpenSslFree>;
using X509Ptr = std::unique_ptr<X509, OpenSslFree>;
using KeyPtr = std::unique_ptr<EVP_PKEY, OpenSslFree>;

BioPtr Text(const std::string& pem) {
  return BioPtr(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

X509Ptr NextCertificate(BIO* pem) {
  // With a password callback OpenSSL does not prompt on a terminal.
  return X509Ptr(PEM_read_bio_X509(
      pem, nullptr, [](char*, int, int, void*) { return -1; }, nullptr));
}

absl::Status Unusable(const char* what) {
  return absl::InvalidArgumentError(std::string(what) + ": " + TlsErrorText());
}

absl::Status UseCertificate(SSL_CTX* context, const TlsOptions& options) {
  BioPtr pem = Text(options.certificate);
  X509Ptr leaf = NextCertificate(pem.get());
  if (!leaf || SSL_CTX_use_certificate(context, leaf.get()) != 1) {
    return Unusable("certificate");
  }
  while (X509Ptr issuer = NextCertificate(pem.get())) {
    if (SSL_CTX_add1_chain_cert(context, issuer.get()) != 1) {
      return Unusable("certificate chain");
    }
  }
  ERR_clear_error();  // OpenSSL reports the end of the text as an error
  BioPtr key_pem = Text(options.key);
  KeyPtr key(PEM_read_bio_PrivateKey(
      key_pem.get(), nullptr, [](char*, int, int, void*) { return -1; },
      nullptr));
  if (!key || SSL_CTX_use_PrivateKey(context, key.get()) != 1 ||
      SSL_CTX_check_private_key(context) != 1) {
    return Unusable("private key");
  }
  return absl::OkStatus();
}

absl::Status TrustIssuers(SSL_CTX* context, const std::string& ca) {
  BioPtr pem = Text(ca);
  X509_STORE* store = SSL_CTX_get_cert_store(context);
  int count = 0;
  while (X509Ptr issuer = NextCertificate(pem.get())) {
    if (X509_STORE_add_cert(store, issuer.get()) != 1) {
      return Unusable("CA certificate");
    }
    ++count;
  }
  if (count == 0) return Unusable("CA certificate");
  ERR_clear_error();
  return absl::OkStatus();
}

int SelectAlpn(SSL*, const unsigned char** out, unsigned char* out_size,
               const unsigned char* offered, unsigned int size, void* arg) {
  const auto& ours = *static_cast<const std::string*>(arg);
  unsigned char* chosen = nullptr;
  if (SSL_select_next_proto(&chosen, out_size,
                            reinterpret_cast<const unsigned char*>(ours.data()),
                            static_cast<unsigned>(ours.size()), offered,
                            size) != OPENSSL_NPN_NEGOTIATED) {
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  }
  *out = chosen;
  return SSL_TLSEXT_ERR_OK;
}

void SetCommon(SSL_CTX* context, bool tls12) {
  SSL_CTX_set_min_proto_version(context,
                                tls12 ? TLS1_2_VERSION : TLS1_3_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                   SSL_OP_CIPHER_SERVER_PREFERENCE |
                                   SSL_OP_PRIORITIZE_CHACHA |
                                   SSL_OP_IGNORE_UNEXPECTED_EOF);
  // Uses the chain in the file. Otherwise OpenSSL would search the trusted
  // certificates at each handshake.
  SSL_CTX_set_mode(context, SSL_MODE_RELEASE_BUFFERS | SSL_MODE_NO_AUTO_CHAIN);
  SSL_CTX_set_read_ahead(context, 1);
  SSL_CTX_set_cipher_list(context, kTls12Ciphers);
  SSL_CTX_set_ciphersuites(context, kTls13Ciphers);
  SSL_CTX_set1_groups_list(context, kGroups);
}

}  // namespace

std::string TlsErrorText() {
  std::string text;
  while (unsigned long error = ERR_get_error()) {
    const char* reason = ERR_reason_error_string(error);
    if (!text.empty()) text += "; ";
    text += reason != nullptr ? reason : "error " + std::to_string(error);
  }
  return text.empty() ? "nothing usable" : text;
}

TlsContext::~TlsContext() { SSL_CTX_free(context_); }

absl::StatusOr<std::shared_ptr<TlsContext>> TlsContext::New(
    const TlsOptions& options, bool server) {
  ERR_clear_error();
  std::shared_ptr<TlsContext> context(new TlsContext);
  context->is_server_ = server;
  context->peer_uri_ = options.peer_uri;
  context->revoked_ = options.revoked;
  context->context_ =
      SSL_CTX_new(server ? TLS_server_method() : TLS_client_method());
  SSL_CTX* raw = context->context_;
  if (raw == nullptr) return absl::InternalError("SSL_CTX_new failed");
  SetCommon(raw, options.tls12);
  if (!options.certificate.empty()) {
    if (auto used = UseCertificate(raw, options); !used.ok()) return used;
  }
  if (!options.peer_ca.empty()) {
    if (auto trusted = TrustIssuers(raw, options.peer_ca); !trusted.ok()) {
      return trusted;
    }
  }
  for (const absl::string_view name :
       absl::StrSplit(options.alpn, ',', absl::SkipEmpty())) {
    context->alpn_ += static_cast<char>(name.size());
    context->alpn_.append(name.data(), name.size());
  }
  return context;
}

absl::StatusOr<std::shared_ptr<const TlsContext>> TlsContext::Server(
    const TlsOptions& options, Others others) {
  if (options.certificate.empty()) {
    return absl::InvalidArgumentError("certificate: a server needs one");
  }
  auto context = New(options, true);
  if (!context.ok()) return context.status();
  SSL_CTX* raw = (*context)->context_;
  // Tickets only: a server stores no sessions, so memory does not grow with the
  // number of clients. The id context separates tickets of different servers.
  SSL_CTX_set_session_cache_mode(raw, SSL_SESS_CACHE_OFF);
  SSL_CTX_set_num_tickets(raw, 1);
  static constexpr unsigned char kIdContext[] = "carme";
  SSL_CTX_set_session_id_context(raw, kIdContext, sizeof kIdContext - 1);
  if (!(*context)->alpn_.empty()) {
    SSL_CTX_set_alpn_select_cb(raw, SelectAlpn, &(*context)->alpn_);
  }
  if (!options.peer_ca.empty()) {
    if (options.peer_uri.empty()) {
      return absl::InvalidArgumentError("URI of the client: expected one");
    }
    if (options.ticket_keys != nullptr) {
      return absl::InvalidArgumentError(
          "sessions of verified clients: expected no keys that outlive them");
    }
    SSL_CTX_set_verify(raw, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT,
                       nullptr);
  }
  (*context)->others_ = std::move(others);
  (*context)->ocsp_response_ = options.ocsp_response;
  (*context)->ticket_keys_ = options.ticket_keys;
  ServeWith(**context);
  return std::shared_ptr<const TlsContext>(*std::move(context));
}

absl::StatusOr<std::shared_ptr<const TlsContext>> TlsContext::Client(
    const TlsOptions& options) {
  if (options.peer_ca.empty()) {
    return absl::InvalidArgumentError("CA certificate: a client needs one");
  }
  auto context = New(options, false);
  if (!context.ok()) return context.status();
  SSL_CTX_set_verify((*context)->context_, SSL_VERIFY_PEER, nullptr);
  return std::shared_ptr<const TlsContext>(*std::move(context));
}

namespace {

constexpr int kFailed = -1;
constexpr int kUnknownKey = 0;
constexpr int kGood = 1;
constexpr int kGoodButRenew = 2;

// The index of the TlsContext in an SSL_CTX.
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

// Called before the certificate and the protocol are selected.
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
  // The client will refuse the certificate, and can report why.
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
