// OpenSSL's X.509 as values that free themselves, and the steps of which a
// certificate is made. For .cc files: it names OpenSSL's types.
//
// Everything is P-256 with SHA-256, the one kind of key that OpenSSL, GnuTLS,
// gRPC and browsers all take without being told.
#ifndef CARME_COMMON_PKI_X509_MAKER_H_
#define CARME_COMMON_PKI_X509_MAKER_H_

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/evp.h>
#include <openssl/x509.h>

#include <memory>
#include <string>
#include <string_view>

#include "absl/time/time.h"

namespace carme {

template <auto Free>
struct Freed {
  template <typename T>
  void operator()(T* value) const {
    Free(value);
  }
};
using BioPtr = std::unique_ptr<BIO, Freed<BIO_free_all>>;
using X509Ptr = std::unique_ptr<X509, Freed<X509_free>>;
using CrlPtr = std::unique_ptr<X509_CRL, Freed<X509_CRL_free>>;
using KeyPtr = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;

// REQUIRES: `text` outlives it.
BioPtr ReadingBio(std::string_view text);
std::string TextOf(BIO* bio);

// The first of its kind in the text; null without one. A key with a password
// is none: OpenSSL must never ask at a terminal.
X509Ptr CertificateFromPem(std::string_view pem);
KeyPtr KeyFromPem(std::string_view pem);
bool IsKeyOf(X509* certificate, EVP_PKEY* key);

KeyPtr NewP256Key();
std::string ToPem(EVP_PKEY* key);  // PKCS #8, not encrypted
std::string ToPem(X509* certificate);
std::string ToPem(X509_CRL* crl);

// Hexadecimal, lower case, no leading zeros.
std::string SerialText(const ASN1_INTEGER* serial);

// Long ago for one that cannot be read.
absl::Time TimeOf(const ASN1_TIME* time);

// Each is false only without memory or for a value of a wrong form. Certificate
// is v3.
//
// A positive random serial of 127 bits (RFC 5280 section 4.1.2.2).
bool SetRandomSerial(X509* certificate);
bool SetTimes(X509* certificate, absl::Time from, absl::Time until);
bool SetCommonName(X509_NAME* name, std::string_view text);
// `value` as in openssl's x509v3_config(5); REQUIRES: what comes from outside
// was checked, for commas above all.
bool AddExtension(X509* certificate, X509* issuer, int nid,
                  const std::string& value);
bool Sign(X509* certificate, EVP_PKEY* key);

}  // namespace carme

#endif  // CARME_COMMON_PKI_X509_MAKER_H_
