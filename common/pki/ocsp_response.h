// An OCSP response (RFC 6960) for stapling: the issuer's statement that a
// certificate is valid. The tool that renews the certificate fetches it; Carme
// only reads the file.
#ifndef CARME_COMMON_PKI_OCSP_RESPONSE_H_
#define CARME_COMMON_PKI_OCSP_RESPONSE_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace carme {

struct OcspResponse {
  std::string der;
  absl::Time until;  // a newer response is expected by then
};

// FAILED_PRECONDITION if a client would not accept it: malformed, not about the
// first certificate of `chain_pem`, not signed by or for its issuer, the second
// certificate, not "good", or not valid at `now`.
absl::StatusOr<OcspResponse> ReadOcspResponse(const std::string& der,
                                              std::string_view chain_pem,
                                              absl::Time now);

}  // namespace carme

#endif  // CARME_COMMON_PKI_OCSP_RESPONSE_H_
