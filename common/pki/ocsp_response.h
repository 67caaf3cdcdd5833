// An issuer's word that a certificate still counts (RFC 6960), as a server
// staples it. Fetched by whoever renews the certificate, never by us.
#ifndef CARME_COMMON_PKI_OCSP_RESPONSE_H_
#define CARME_COMMON_PKI_OCSP_RESPONSE_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"

namespace carme {

struct OcspResponse {
  std::string der;
  absl::Time until;  // a later one should be there by then
};

// FAILED_PRECONDITION when a client would not believe it: no OCSP answer, none
// about the first certificate of `chain_pem`, not signed by or for the second,
// its issuer, not "good", or not for `now`.
absl::StatusOr<OcspResponse> ReadOcspResponse(const std::string& der,
                                              std::string_view chain_pem,
                                              absl::Time now);

}  // namespace carme

#endif  // CARME_COMMON_PKI_OCSP_RESPONSE_H_
