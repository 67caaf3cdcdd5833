// Compares the address of a peer with that of a node.
#ifndef CARME_BACKEND_JOBS_MODEL_NODE_ADDRESS_H_
#define CARME_BACKEND_JOBS_MODEL_NODE_ADDRESS_H_

#include <string>

#include "absl/status/statusor.h"

namespace carme::backend {

// The canonical text of an address: an IPv4 address mapped into IPv6 becomes
// IPv4. Empty: not a literal.
std::string CanonicalAddress(const std::string& literal);

// Whether `node`, a literal or a name, has the address `peer`, a literal.
// Resolving a name may block. UNAVAILABLE: it cannot be resolved.
absl::StatusOr<bool> IsAddressOf(const std::string& peer,
                                 const std::string& node);

}  // namespace carme::backend

#endif  // CARME_BACKEND_JOBS_MODEL_NODE_ADDRESS_H_
