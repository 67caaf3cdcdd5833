// The few capabilities that this program keeps.
#ifndef CARME_BACKEND_PRIVILEGED_PRIVSEP_CAPABILITIES_H_
#define CARME_BACKEND_PRIVILEGED_PRIVSEP_CAPABILITIES_H_

#include "absl/status/status.h"

namespace carme {

// Drops all capabilities of this process and of its future children except
// CAP_SETUID and CAP_SETGID (to become a user) and CAP_KILL (to end an
// operation that takes too long), empties the bounding set, sets no_new_privs,
// and reads the result back. Call it when the sockets are open.
// PERMISSION_DENIED: one of the three is missing. INTERNAL: others are left.
absl::Status DropCapabilities();

}  // namespace carme

#endif  // CARME_BACKEND_PRIVILEGED_PRIVSEP_CAPABILITIES_H_
