// What a certificate says, and whether a key is its own. Values; nothing here
// decides whether a certificate is to be trusted.
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
  std::string subject;  // its common name, for people
  std::vector<std::string> uris;
  std::vector<std::string> dns_names;
  absl::Time not_before;
  absl::Time not_after;
  bool is_authority = false;
};

// INVALID_ARGUMENT: alternative names that cannot be read.
absl::StatusOr<CertificateFacts> FactsOf(x509_st* certificate);

// Of the first certificate in a PEM text; its chain may follow.
// INVALID_ARGUMENT: there is none.
absl::StatusOr<CertificateFacts> ReadCertificate(std::string_view pem);

// FAILED_PRECONDITION: a key with a password, no key at all, or another
// certificate's.
absl::Status CheckKeyPair(std::string_view certificate_pem,
                          std::string_view key_pem);

}  // namespace carme

#endif  // CARME_COMMON_PKI_CERTIFICATE_H_
