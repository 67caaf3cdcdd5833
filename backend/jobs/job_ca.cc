#include "backend/jobs/job_ca.h"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "absl/strings/str_cat.h"
#include "common/file.h"
#include "common/random.h"
#include "common/status.h"

namespace carme {
namespace {

constexpr size_t kLongestCsr = 8192;
constexpr absl::Duration kCaLife = absl::Hours(24 * 365 * 20);
constexpr absl::Duration kSkew = absl::Minutes(5);

template <auto Free>
struct Freed {
  template <typename T>
  void operator()(T* value) const {
    Free(value);
  }
};
using Bio = std::unique_ptr<BIO, Freed<BIO_free_all>>;
using Certificate = std::unique_ptr<X509, Freed<X509_free>>;
using CertificateRequest = std::unique_ptr<X509_REQ, Freed<X509_REQ_free>>;
using Key = std::unique_ptr<EVP_PKEY, Freed<EVP_PKEY_free>>;
using Number = std::unique_ptr<BIGNUM, Freed<BN_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Freed<X509_EXTENSION_free>>;

Bio Reading(std::string_view text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

std::string TextOf(BIO* bio) {
  char* data = nullptr;
  const long length = BIO_get_mem_data(bio, &data);
  return std::string(data, static_cast<size_t>(length));
}

std::string PemOf(X509* certificate) {
  Bio bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), certificate);
  return TextOf(bio.get());
}

// A positive random serial of 127 bits (RFC 5280 section 4.1.2.2).
bool SetSerial(X509* certificate) {
  std::string bytes = RandomBytes(16);
  bytes[0] = static_cast<char>((bytes[0] & 0x7f) | 0x40);
  Number number(BN_bin2bn(reinterpret_cast<const unsigned char*>(bytes.data()),
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

bool SetName(X509_NAME* name, std::string_view text) {
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
  Extension extension(
      X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  return extension != nullptr &&
         X509_add_ext(certificate, extension.get(), -1) == 1;
}

bool Sign(X509* certificate, EVP_PKEY* key) {
  return X509_sign(certificate, key, EVP_sha256()) > 0;
}

// Null only without memory or without P-256 in libcrypto.
Certificate MakeCa(EVP_PKEY* key, absl::Time now) {
  Certificate made(X509_new());
  X509* ca = made.get();
  const bool ok = X509_set_version(ca, X509_VERSION_3) == 1 && SetSerial(ca) &&
                  SetTimes(ca, now - kSkew, now + kCaLife) &&
                  SetName(X509_get_subject_name(ca), "Carme job CA") &&
                  X509_set_issuer_name(ca, X509_get_subject_name(ca)) == 1 &&
                  X509_set_pubkey(ca, key) == 1 &&
                  AddExtension(ca, ca, NID_basic_constraints,
                               "critical,CA:TRUE,pathlen:0") &&
                  AddExtension(ca, ca, NID_key_usage, "critical,keyCertSign") &&
                  AddExtension(ca, ca, NID_name_constraints,
                               "critical,permitted;DNS:job.carme") &&
                  AddExtension(ca, ca, NID_subject_key_identifier, "hash") &&
                  Sign(ca, key);
  return ok ? std::move(made) : nullptr;
}

absl::Status MakeFile(const std::string& path, absl::Time now) {
  Key key(EVP_EC_gen("P-256"));
  Certificate ca = key != nullptr ? MakeCa(key.get(), now) : nullptr;
  if (ca == nullptr) return absl::InternalError("job CA cannot be made");
  Bio bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_PKCS8PrivateKey(bio.get(), key.get(), nullptr, nullptr, 0,
                                nullptr, nullptr);
  // One file, so that a crash leaves both or none.
  return WriteFile(path, TextOf(bio.get()) + PemOf(ca.get()), 0600);
}

bool IsP256(EVP_PKEY* key) {
  char group[64] = "";
  size_t length = 0;
  return EVP_PKEY_get_base_id(key) == EVP_PKEY_EC &&
         EVP_PKEY_get_group_name(key, group, sizeof group, &length) == 1 &&
         std::string_view(group) == SN_X9_62_prime256v1;
}

absl::StatusOr<Key> KeyOfRequest(std::string_view csr_pem) {
  if (csr_pem.size() > kLongestCsr) {
    return absl::InvalidArgumentError(
        absl::StrCat("certificate request has ", csr_pem.size(),
                     " bytes: expected at most ", kLongestCsr));
  }
  CertificateRequest request(
      PEM_read_bio_X509_REQ(Reading(csr_pem).get(), nullptr, nullptr, nullptr));
  Key key(request != nullptr ? X509_REQ_get_pubkey(request.get()) : nullptr);
  const bool is_p256 = key != nullptr && IsP256(key.get());
  const bool proved = is_p256 && X509_REQ_verify(request.get(), key.get()) == 1;
  ERR_clear_error();
  if (key == nullptr) {
    return absl::InvalidArgumentError("certificate request cannot be read");
  }
  if (!is_p256) {
    return absl::InvalidArgumentError(
        "certificate request has another kind of key: expected P-256");
  }
  if (!proved) {
    return absl::InvalidArgumentError(
        "certificate request is not signed by its own key");
  }
  return key;
}

}  // namespace

absl::StatusOr<JobCa> JobCa::Open(const std::string& path, absl::Time now) {
  absl::StatusOr<std::string> text = ReadSecretFile(path);
  if (absl::IsNotFound(text.status())) {
    RETURN_IF_ERROR(MakeFile(path, now));
    text = ReadSecretFile(path);
  }
  RETURN_IF_ERROR(text.status());
  JobCa ca;
  ca.key_.reset(
      PEM_read_bio_PrivateKey(Reading(*text).get(), nullptr, nullptr, nullptr),
      EVP_PKEY_free);
  ca.certificate_.reset(
      PEM_read_bio_X509(Reading(*text).get(), nullptr, nullptr, nullptr),
      X509_free);
  ERR_clear_error();
  if (ca.key_ == nullptr || ca.certificate_ == nullptr ||
      X509_check_private_key(ca.certificate_.get(), ca.key_.get()) != 1) {
    return absl::InvalidArgumentError(absl::StrCat(
        "job CA \"", path, "\" is broken: expected a key and its certificate"));
  }
  ca.pem_ = PemOf(ca.certificate_.get());
  return ca;
}

absl::StatusOr<std::string> JobCa::Issue(std::string_view csr_pem,
                                         const JobId& job, absl::Time now,
                                         absl::Time until) const {
  ASSIGN_OR_RETURN(const Key key, KeyOfRequest(csr_pem));
  Certificate made(X509_new());
  X509* leaf = made.get();
  X509* ca = certificate_.get();
  const bool ok =
      X509_set_version(leaf, X509_VERSION_3) == 1 && SetSerial(leaf) &&
      SetTimes(leaf, now - kSkew, until) &&
      SetName(X509_get_subject_name(leaf), job.value()) &&
      X509_set_issuer_name(leaf, X509_get_subject_name(ca)) == 1 &&
      X509_set_pubkey(leaf, key.get()) == 1 &&
      AddExtension(leaf, ca, NID_basic_constraints, "critical,CA:FALSE") &&
      AddExtension(leaf, ca, NID_key_usage, "critical,digitalSignature") &&
      AddExtension(leaf, ca, NID_ext_key_usage, "serverAuth") &&
      AddExtension(leaf, ca, NID_authority_key_identifier, "keyid:always") &&
      AddExtension(leaf, ca, NID_subject_alt_name,
                   absl::StrCat("DNS:", job.value(), ".job.carme")) &&
      Sign(leaf, key_.get());
  if (!ok) return absl::InternalError("certificate cannot be made");
  return PemOf(leaf);
}

}  // namespace carme
