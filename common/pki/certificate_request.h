// Certificate requests (PKCS #10): created next to the key, read by the issuer
// of the certificate.
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

// Creates a new P-256 key and a request. INTERNAL: OpenSSL failed.
absl::StatusOr<KeyAndRequest> NewCertificateRequest();

// The public key of a request; its other fields are not used.
// INVALID_ARGUMENT: longer than 8 KiB, malformed, not a P-256 key, or not
// signed by its own key.
absl::StatusOr<std::shared_ptr<evp_pkey_st>> KeyOfRequest(
    std::string_view csr_pem);

}  // namespace carme

#endif  // CARME_COMMON_PKI_CERTIFICATE_REQUEST_H_
