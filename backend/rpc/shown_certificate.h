// Certificates as the health page shows them.
#ifndef CARME_BACKEND_RPC_SHOWN_CERTIFICATE_H_
#define CARME_BACKEND_RPC_SHOWN_CERTIFICATE_H_

#include <string>
#include <vector>

#include "absl/time/time.h"

namespace carme {

struct ShownCertificate {
  std::string program;  // whose it is: "backend"
  std::string name;     // its subject
  absl::Time not_after;
  bool soon = false;
};

// Of the first certificate of a PEM file as it is now; `soon` when it ends
// within `warning`. One that cannot be read has ended, to be looked at.
ShownCertificate ShowCertificate(const std::string& program,
                                 const std::string& path,
                                 absl::Duration warning, absl::Time now);

}  // namespace carme

#endif  // CARME_BACKEND_RPC_SHOWN_CERTIFICATE_H_
