// Reads the fields of a certificate, and checks that a key belongs to it. Does
// not decide whether a certificate is trusted.
#ifndef CARME_COMMON_PKI_CERTIFICATE_H_
#define CARME_COMMON_PKI_CERTIFICATE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"

struct x509_st;

namespace carme {

struct CertificateFacts {
  std::string serial;   // hexadecimal, lower case, no leading zeros
  std::string subject;  // the common name, for display
  std::vector<std::string> uris;
  std::vector<std::string> dns_names;
  absl::Time not_before;
  absl::Time not_after;
  bool is_authority = false;
};

// INVALID_ARGUMENT: malformed alternative names.
absl::StatusOr<CertificateFacts> FactsOf(x509_st* certificate);

// For the first certificate in a PEM text; its chain may follow.
// INVALID_ARGUMENT: no certificate.
absl::StatusOr<CertificateFacts> ReadCertificate(std::string_view pem);

// FAILED_PRECONDITION: the key has a password, is missing, or belongs to
// another certificate.
absl::Status CheckKeyPair(std::string_view certificate_pem,
                          std::string_view key_pem);

}  // namespace carme

#endif  // CARME_COMMON_PKI_CERTIFICATE_H_
