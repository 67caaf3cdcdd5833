// Owning pointers for OpenSSL's X.509 types, and the steps to create a
// certificate. Include it in .cc files only: it uses OpenSSL's types.
//
// All keys are P-256 with SHA-256, which OpenSSL, GnuTLS, gRPC and browsers
// accept by default.
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

// REQUIRES: `text` outlives the result.
BioPtr ReadingBio(std::string_view text);
std::string TextOf(BIO* bio);

// The first object of its kind in the text; null: none. A key with a password
// counts as none, because OpenSSL must not prompt on a terminal.
X509Ptr CertificateFromPem(std::string_view pem);
KeyPtr KeyFromPem(std::string_view pem);
bool IsKeyOf(X509* certificate, EVP_PKEY* key);

KeyPtr NewP256Key();
std::string ToPem(EVP_PKEY* key);  // PKCS #8, not encrypted
std::string ToPem(X509* certificate);
std::string ToPem(X509_CRL* crl);

// Hexadecimal, lower case, no leading zeros.
std::string SerialText(const ASN1_INTEGER* serial);

// In the distant past if it is malformed.
absl::Time TimeOf(const ASN1_TIME* time);

// Each function returns false only without memory or for a malformed value.
// Certificates are v3.
//
// A positive random serial of 127 bits (RFC 5280 section 4.1.2.2).
bool SetRandomSerial(X509* certificate);
bool SetTimes(X509* certificate, absl::Time from, absl::Time until);
bool SetCommonName(X509_NAME* name, std::string_view text);
// `value` as in openssl's x509v3_config(5). REQUIRES: untrusted parts were
// checked, in particular for commas.
bool AddExtension(X509* certificate, X509* issuer, int nid,
                  const std::string& value);
bool Sign(X509* certificate, EVP_PKEY* key);

}  // namespace carme

#endif  // CARME_COMMON_PKI_X509_MAKER_H_
