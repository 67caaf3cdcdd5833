#include "common/pki/certificate_request.h"

#include <openssl/err.h>
#include <openssl/pem.h>

#include "absl/strings/str_cat.h"
#include "common/pki/x509_maker.h"

namespace carme {
namespace {

constexpr size_t kLongestCsr = 8192;

using RequestPtr = std::unique_ptr<X509_REQ, Freed<X509_REQ_free>>;

bool IsP256(EVP_PKEY* key) {
  char group[64] = "";
  size_t length = 0;
  return EVP_PKEY_get_base_id(key) == EVP_PKEY_EC &&
         EVP_PKEY_get_group_name(key, group, sizeof group, &length) == 1 &&
         std::string_view(group) == SN_X9_62_prime256v1;
}

}  // namespace

absl::StatusOr<KeyAndRequest> NewCertificateRequest() {
  const KeyPtr key = NewP256Key();
  const RequestPtr request(X509_REQ_new());
  const BioPtr csr(BIO_new(BIO_s_mem()));
  if (key == nullptr || request == nullptr || csr == nullptr ||
      X509_REQ_set_version(request.get(), X509_REQ_VERSION_1) != 1 ||
      X509_REQ_set_pubkey(request.get(), key.get()) != 1 ||
      X509_REQ_sign(request.get(), key.get(), EVP_sha256()) == 0 ||
      PEM_write_bio_X509_REQ(csr.get(), request.get()) != 1) {
    ERR_clear_error();
    return absl::InternalError("certificate request cannot be made");
  }
  return KeyAndRequest{ToPem(key.get()), TextOf(csr.get())};
}

absl::StatusOr<std::shared_ptr<EVP_PKEY>> KeyOfRequest(
    std::string_view csr_pem) {
  if (csr_pem.size() > kLongestCsr) {
    return absl::InvalidArgumentError(
        absl::StrCat("certificate request has ", csr_pem.size(),
                     " bytes: expected at most ", kLongestCsr));
  }
  const RequestPtr request(PEM_read_bio_X509_REQ(ReadingBio(csr_pem).get(),
                                                 nullptr, nullptr, nullptr));
  KeyPtr key(request != nullptr ? X509_REQ_get_pubkey(request.get()) : nullptr);
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
  return std::shared_ptr<EVP_PKEY>(key.release(), EVP_PKEY_free);
}

}  // namespace carme
