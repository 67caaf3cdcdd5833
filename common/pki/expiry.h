// Warns of certificates that end soon: at the start, then once a day.
#ifndef CARME_COMMON_PKI_EXPIRY_H_
#define CARME_COMMON_PKI_EXPIRY_H_

#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"

namespace carme {

// One certificate's end, as health pages and logs say it.
struct CertificateHealth {
  std::string program;  // whose it is: "backend", "job CA"
  std::string name;     // its URI, else its common name
  absl::Time not_after;
  bool soon = false;  // fewer days are left than the configuration warns of
};

// `pem`'s first certificate; nothing for one that cannot be read, which others
// refuse.
std::vector<CertificateHealth> HealthOf(const std::string& program,
                                        const std::string& pem, int warn_days,
                                        absl::Time now);

// Not thread-safe.
class ExpiryWarnings {
 public:
  // A log line for each that is `soon` and was not warned of in the last day.
  void Look(const std::vector<CertificateHealth>& certificates, absl::Time now);

 private:
  std::map<std::string, absl::Time> warned_;  // by program and name
};

}  // namespace carme

#endif  // CARME_COMMON_PKI_EXPIRY_H_
