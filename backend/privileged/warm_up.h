// What every request would otherwise do again, because it begins in a fresh
// copy of a process that never did it.
#ifndef CARME_BACKEND_PRIVILEGED_WARM_UP_H_
#define CARME_BACKEND_PRIVILEGED_WARM_UP_H_

#include "backend/privileged/config.h"

namespace carme::impersonator {

// Loads the NSS modules, silences protobuf's log and builds protobuf's
// descriptors; measured, this is half of the time until the act. Answers do not
// matter. Blocks as long as NSS does, while connections wait in the socket's
// queue.
void WarmUp(const ImpersonatorConfig& config);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_WARM_UP_H_
