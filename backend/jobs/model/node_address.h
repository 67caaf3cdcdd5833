// Comparing a peer's address with a node's.
#ifndef CARME_BACKEND_JOBS_MODEL_NODE_ADDRESS_H_
#define CARME_BACKEND_JOBS_MODEL_NODE_ADDRESS_H_

#include <string>

#include "absl/status/statusor.h"

namespace carme::backend {

// The one text of an address: an IPv4 address that is mapped into IPv6 becomes
// IPv4 again. Empty: not a literal.
std::string CanonicalAddress(const std::string& literal);

// Whether `node`, a literal or a name, stands for `peer`, a literal. A name is
// resolved, which may block. UNAVAILABLE: it cannot be resolved.
absl::StatusOr<bool> IsAddressOf(const std::string& peer,
                                 const std::string& node);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_MODEL_NODE_ADDRESS_H_
