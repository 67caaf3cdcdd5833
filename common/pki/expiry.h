// Warns of certificates that end soon, and of revocation lists that were not
// replaced in time: at the start, then once a day.
#ifndef CARME_COMMON_PKI_EXPIRY_H_
#define CARME_COMMON_PKI_EXPIRY_H_

#include <map>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/pki/revocations.h"

namespace carme {

// One certificate's end, as health pages and logs say it.
struct CertificateHealth {
  std::string program;  // whose it is: "backend", "revocation list"
  std::string name;     // its URI, else its common name
  absl::Time not_after;
  bool soon = false;  // fewer days are left than the configuration warns of
};

// `pem`'s first certificate; nothing for one that cannot be read, which others
// refuse.
std::vector<CertificateHealth> HealthOf(const std::string& program,
                                        const std::string& pem, int warn_days,
                                        absl::Time now);

// The list's nextUpdate, `soon` in its last hour and after it; nothing where
// there is no list, or it names no time. `authority`: whose it is, PEM.
std::vector<CertificateHealth> HealthOfList(const Revocations& list,
                                            const std::string& authority,
                                            absl::Time now);

// Not thread-safe.
class ExpiryWarnings {
 public:
  // A log line for each that is `soon` and was not warned of in the last day,
  // and one when it has ended.
  void Look(const std::vector<CertificateHealth>& certificates, absl::Time now);

 private:
  // By program, name, and whether it has ended.
  std::map<std::string, absl::Time> warned_;
};

}  // namespace carme

#endif  // CARME_COMMON_PKI_EXPIRY_H_
