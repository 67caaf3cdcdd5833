// The few of root's rights that this program keeps.
#ifndef CARME_BACKEND_PRIVILEGED_CAPABILITIES_H_
#define CARME_BACKEND_PRIVILEGED_CAPABILITIES_H_

#include "absl/status/status.h"

namespace carme::impersonator {

// Gives up all capabilities of this process, and of those it will fork, but
// CAP_SETUID and CAP_SETGID, to become a user, and CAP_KILL, to end an act that
// takes too long; no program that were started could get one back. To be
// called when the socket is there. Reads itself back.
// PERMISSION_DENIED: one of the three is missing. INTERNAL: others are left.
absl::Status KeepFewCapabilities();

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_CAPABILITIES_H_
