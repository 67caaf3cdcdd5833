#include "slurm-hooks/agent/job_key.h"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <memory>

#include "absl/strings/str_cat.h"

namespace carme::agent {
namespace {

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509_REQ* request) const { X509_REQ_free(request); }
};

absl::Status OpensslError(const char* what) {
  const char* reason = ERR_reason_error_string(ERR_get_error());
  return absl::InternalError(
      absl::StrCat(what, ": ", reason == nullptr ? "unknown" : reason));
}

std::string TextOf(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return std::string(data, static_cast<size_t>(size));
}

}  // namespace

absl::StatusOr<JobKey> NewJobKey() {
  const std::unique_ptr<EVP_PKEY, Free> key(EVP_EC_gen("P-256"));
  const std::unique_ptr<X509_REQ, Free> request(X509_REQ_new());
  if (!key || !request || X509_REQ_set_version(request.get(), 0) != 1 ||
      X509_REQ_set_pubkey(request.get(), key.get()) != 1 ||
      X509_REQ_sign(request.get(), key.get(), EVP_sha256()) == 0) {
    return OpensslError("make a key and a certificate request");
  }
  // BIO_s_secmem would not help: the text becomes a std::string anyway.
  const std::unique_ptr<BIO, Free> private_pem(BIO_new(BIO_s_mem()));
  const std::unique_ptr<BIO, Free> csr_pem(BIO_new(BIO_s_mem()));
  if (!private_pem || !csr_pem ||
      PEM_write_bio_PrivateKey(private_pem.get(), key.get(), nullptr, nullptr,
                               0, nullptr, nullptr) != 1 ||
      PEM_write_bio_X509_REQ(csr_pem.get(), request.get()) != 1) {
    return OpensslError("write a key and a certificate request");
  }
  return JobKey{TextOf(private_pem.get()), TextOf(csr_pem.get())};
}

}  // namespace carme::agent
