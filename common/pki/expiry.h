// Warns of certificates that expire soon, and of revocation lists that were not
// replaced in time: at the start, then once a day.
#ifndef CARME_COMMON_PKI_EXPIRY_H_
#define CARME_COMMON_PKI_EXPIRY_H_

#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/pki/revocations.h"

namespace carme {

// When a certificate expires, for health pages and logs.
struct CertificateHealth {
  std::string program;  // its owner: "backend", "revocation list"
  std::string name;     // its URI, or its common name
  absl::Time not_after;
  bool soon = false;  // expires within the configured number of days
};

// For the first certificate in `pem`; empty if it is malformed, which is an
// error elsewhere.
std::vector<CertificateHealth> HealthOf(const std::string& program,
                                        const std::string& pem, int warn_days,
                                        absl::Time now);

// The nextUpdate of the list, `soon` in the last hour before it and later;
// empty without a list or without that field. `authority`: the CA of the list,
// PEM.
std::vector<CertificateHealth> HealthOfList(const Revocations& list,
                                            const std::string& authority,
                                            absl::Time now);

// Not thread-safe.
class ExpiryWarnings {
 public:
  // Logs each one that is `soon`, at most once a day, and once when it has
  // expired.
  void Check(const std::vector<CertificateHealth>& certificates,
             absl::Time now);

 private:
  // By program, name, and whether it has expired.
  std::map<std::string, absl::Time> warned_;
};

}  // namespace carme

#endif  // CARME_COMMON_PKI_EXPIRY_H_
