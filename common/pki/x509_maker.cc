#include "common/pki/x509_maker.h"

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <ctime>

#include "common/random.h"

namespace carme {
namespace {

int NoPassword(char*, int, int, void*) { return -1; }

template <typename Write>
std::string Written(Write write) {
  const BioPtr bio(BIO_new(BIO_s_mem()));
  return bio != nullptr && write(bio.get()) == 1 ? TextOf(bio.get()) : "";
}

}  // namespace

BioPtr ReadingBio(std::string_view text) {
  return BioPtr(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string TextOf(BIO* bio) {
  char* data = nullptr;
  const long length = BIO_get_mem_data(bio, &data);
  return std::string(data, static_cast<size_t>(length));
}

X509Ptr CertificateFromPem(std::string_view pem) {
  X509Ptr certificate(
      PEM_read_bio_X509(ReadingBio(pem).get(), nullptr, NoPassword, nullptr));
  ERR_clear_error();
  return certificate;
}

KeyPtr KeyFromPem(std::string_view pem) {
  KeyPtr key(PEM_read_bio_PrivateKey(ReadingBio(pem).get(), nullptr, NoPassword,
                                     nullptr));
  ERR_clear_error();
  return key;
}

bool IsKeyOf(X509* certificate, EVP_PKEY* key) {
  const bool is = X509_check_private_key(certificate, key) == 1;
  ERR_clear_error();
  return is;
}

KeyPtr NewP256Key() { return KeyPtr(EVP_EC_gen("P-256")); }

std::string ToPem(EVP_PKEY* key) {
  return Written([&](BIO* bio) {
    return PEM_write_bio_PKCS8PrivateKey(bio, key, nullptr, nullptr, 0, nullptr,
                                         nullptr);
  });
}

std::string ToPem(X509* certificate) {
  return Written(
      [&](BIO* bio) { return PEM_write_bio_X509(bio, certificate); });
}

std::string ToPem(X509_CRL* crl) {
  return Written([&](BIO* bio) { return PEM_write_bio_X509_CRL(bio, crl); });
}

absl::Time TimeOf(const ASN1_TIME* time) {
  std::tm utc{};
  return ASN1_TIME_to_tm(time, &utc) == 1 ? absl::FromTimeT(timegm(&utc))
                                          : absl::InfinitePast();
}

bool SetRandomSerial(X509* certificate) {
  std::string bytes = RandomBytes(16);
  bytes[0] = static_cast<char>((bytes[0] & 0x7f) | 0x40);
  const std::unique_ptr<BIGNUM, Freed<BN_free>> number(
      BN_bin2bn(reinterpret_cast<const unsigned char*>(bytes.data()),
                static_cast<int>(bytes.size()), nullptr));
  return BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)) !=
         nullptr;
}

bool SetTimes(X509* certificate, absl::Time from, absl::Time until) {
  return ASN1_TIME_set(X509_getm_notBefore(certificate), absl::ToTimeT(from)) !=
             nullptr &&
         ASN1_TIME_set(X509_getm_notAfter(certificate), absl::ToTimeT(until)) !=
             nullptr;
}

bool SetCommonName(X509_NAME* name, std::string_view text) {
  return X509_NAME_add_entry_by_txt(
             name, "CN", MBSTRING_UTF8,
             reinterpret_cast<const unsigned char*>(text.data()),
             static_cast<int>(text.size()), -1, 0) == 1;
}

bool AddExtension(X509* certificate, X509* issuer, int nid,
                  const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free>> extension(
      X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  return extension != nullptr &&
         X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool Sign(X509* certificate, EVP_PKEY* key) {
  return X509_sign(certificate, key, EVP_sha256()) > 0;
}

}  // namespace carme
