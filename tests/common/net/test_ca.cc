#include "tests/common/net/test_ca.h"

#include <openssl/evp.h>
#include <openssl/ocsp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <cstdlib>

namespace carme::testing {
namespace {

using KeyPtr = std::shared_ptr<EVP_PKEY>;
using X509Ptr = std::shared_ptr<X509>;

void Check(bool good) {
  if (!good) std::abort();
}

KeyPtr NewKey() { return KeyPtr(EVP_EC_gen("P-256"), EVP_PKEY_free); }

X509Ptr NewCertificate(const std::string& name, EVP_PKEY* key) {
  X509Ptr made(X509_new(), X509_free);
  X509_set_version(made.get(), 2);
  uint64_t serial = 0;
  Check(RAND_bytes(reinterpret_cast<unsigned char*>(&serial), 7) == 1);
  ASN1_INTEGER_set_uint64(X509_get_serialNumber(made.get()), serial | 1);
  X509_gmtime_adj(X509_getm_notBefore(made.get()), -60);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), 3600);
  X509_set_pubkey(made.get(), key);
  X509_NAME_add_entry_by_txt(
      X509_get_subject_name(made.get()), "CN", MBSTRING_UTF8,
      reinterpret_cast<const unsigned char*>(name.c_str()), -1, -1, 0);
  return made;
}

void Extend(X509* certificate, X509* issuer, int nid, const std::string& text) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* extension =
      X509V3_EXT_conf_nid(nullptr, &context, nid, text.c_str());
  Check(extension != nullptr);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

template <typename Write>
std::string ToPem(Write write) {
  BIO* bio = BIO_new(BIO_s_mem());
  Check(write(bio) == 1);
  char* data = nullptr;
  long size = BIO_get_mem_data(bio, &data);
  std::string pem(data, static_cast<size_t>(size));
  BIO_free(bio);
  return pem;
}

std::string CertificatePem(X509* certificate) {
  return ToPem([&](BIO* bio) { return PEM_write_bio_X509(bio, certificate); });
}

}  // namespace

TestCa::TestCa(const std::string& name)
    : key_(NewKey()), certificate_(NewCertificate(name, key_.get())) {
  X509* self = certificate_.get();
  X509_set_issuer_name(self, X509_get_subject_name(self));
  Extend(self, self, NID_basic_constraints, "critical,CA:TRUE");
  Extend(self, self, NID_key_usage, "critical,keyCertSign,cRLSign");
  Extend(self, self, NID_subject_key_identifier, "hash");
  Check(X509_sign(self, key_.get(), EVP_sha256()) > 0);
  certificate_pem_ = CertificatePem(self);
}

TestIdentity TestCa::Issue(const std::vector<std::string>& dns_names) const {
  std::string names;
  for (const std::string& name : dns_names) {
    names += (names.empty() ? "DNS:" : ",DNS:") + name;
  }
  return Make(dns_names.front(), names);
}

TestIdentity TestCa::IssueNames(const std::string& names) const {
  return Make("test", names);
}

std::string TestCa::RevocationList(const std::vector<std::string>& serials,
                                   long life_s) const {
  X509_CRL* crl = X509_CRL_new();
  ASN1_TIME* now = X509_gmtime_adj(nullptr, -60);
  ASN1_TIME* next = X509_gmtime_adj(nullptr, life_s);
  X509_CRL_set_version(crl, 1);
  X509_CRL_set_issuer_name(crl, X509_get_subject_name(certificate_.get()));
  X509_CRL_set1_lastUpdate(crl, now);
  X509_CRL_set1_nextUpdate(crl, next);
  for (const std::string& hex : serials) {
    BIGNUM* number = nullptr;
    Check(BN_hex2bn(&number, hex.c_str()) > 0);
    ASN1_INTEGER* serial = BN_to_ASN1_INTEGER(number, nullptr);
    X509_REVOKED* revoked = X509_REVOKED_new();
    X509_REVOKED_set_serialNumber(revoked, serial);
    X509_REVOKED_set_revocationDate(revoked, now);
    X509_CRL_add0_revoked(crl, revoked);
    ASN1_INTEGER_free(serial);
    BN_free(number);
  }
  Check(X509_CRL_sign(crl, key_.get(), EVP_sha256()) > 0);
  const std::string pem =
      ToPem([&](BIO* bio) { return PEM_write_bio_X509_CRL(bio, crl); });
  ASN1_TIME_free(now);
  ASN1_TIME_free(next);
  X509_CRL_free(crl);
  return pem;
}

std::string TestCa::OcspResponse(const std::string& certificate_pem, bool good,
                                 long life_s) const {
  BIO* pem = BIO_new_mem_buf(certificate_pem.data(),
                             static_cast<int>(certificate_pem.size()));
  X509Ptr leaf(PEM_read_bio_X509(pem, nullptr, nullptr, nullptr), X509_free);
  BIO_free(pem);
  Check(leaf != nullptr);
  OCSP_CERTID* id = OCSP_cert_to_id(nullptr, leaf.get(), certificate_.get());
  OCSP_BASICRESP* basic = OCSP_BASICRESP_new();
  ASN1_TIME* from = X509_gmtime_adj(nullptr, -60);
  ASN1_TIME* until = X509_gmtime_adj(nullptr, life_s);
  Check(OCSP_basic_add1_status(
            basic, id,
            good ? V_OCSP_CERTSTATUS_GOOD : V_OCSP_CERTSTATUS_REVOKED,
            OCSP_REVOKED_STATUS_NOSTATUS, good ? nullptr : from, from,
            until) != nullptr);
  Check(OCSP_basic_sign(basic, certificate_.get(), key_.get(), EVP_sha256(),
                        nullptr, 0) == 1);
  OCSP_RESPONSE* response =
      OCSP_response_create(OCSP_RESPONSE_STATUS_SUCCESSFUL, basic);
  unsigned char* bytes = nullptr;
  const int size = i2d_OCSP_RESPONSE(response, &bytes);
  Check(size > 0);
  std::string der(reinterpret_cast<char*>(bytes), static_cast<size_t>(size));
  OPENSSL_free(bytes);
  OCSP_RESPONSE_free(response);
  OCSP_BASICRESP_free(basic);
  OCSP_CERTID_free(id);
  ASN1_TIME_free(from);
  ASN1_TIME_free(until);
  return der;
}

TestIdentity TestCa::Make(const std::string& subject,
                          const std::string& names) const {
  KeyPtr key = NewKey();
  X509Ptr made = NewCertificate(subject, key.get());
  X509* leaf = made.get();
  X509_set_issuer_name(leaf, X509_get_subject_name(certificate_.get()));
  Extend(leaf, certificate_.get(), NID_subject_alt_name, names);
  Extend(leaf, certificate_.get(), NID_basic_constraints, "critical,CA:FALSE");
  Extend(leaf, certificate_.get(), NID_ext_key_usage, "serverAuth,clientAuth");
  Extend(leaf, certificate_.get(), NID_authority_key_identifier, "keyid");
  Check(X509_sign(leaf, key_.get(), EVP_sha256()) > 0);
  TestIdentity identity;
  identity.certificate_pem = CertificatePem(leaf);
  identity.key_pem = ToPem([&](BIO* bio) {
    return PEM_write_bio_PrivateKey(bio, key.get(), nullptr, nullptr, 0,
                                    nullptr, nullptr);
  });
  return identity;
}

}  // namespace carme::testing
