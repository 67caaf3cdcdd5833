// Certificate requests (PKCS #10): made where a key is to stay, read where the
// certificate is issued.
#ifndef CARME_COMMON_PKI_CERTIFICATE_REQUEST_H_
#define CARME_COMMON_PKI_CERTIFICATE_REQUEST_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

struct evp_pkey_st;

namespace carme {

struct KeyAndRequest {
  std::string key_pem;
  std::string csr_pem;  // with an empty subject, signed by the key
};

// With a new P-256 key. INTERNAL when OpenSSL cannot make one.
absl::StatusOr<KeyAndRequest> NewCertificateRequest();

// The public key of a request, the only thing that is taken from one.
// INVALID_ARGUMENT: it is longer than 8 KiB or cannot be read, its key is not
// P-256, or it is not signed by its own key.
absl::StatusOr<std::shared_ptr<evp_pkey_st>> KeyOfRequest(
    std::string_view csr_pem);

}  // namespace carme

#endif  // CARME_COMMON_PKI_CERTIFICATE_REQUEST_H_
