// The process that decides whose storage may be read, and has it read.
#ifndef CARME_BACKEND_PRIVILEGED_STORAGE_ACTOR_H_
#define CARME_BACKEND_PRIVILEGED_STORAGE_ACTOR_H_

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "backend/privileged/child.h"
#include "backend/privileged/config.h"
#include "backend/privileged/system_call_filter.h"

namespace carme::impersonator {

// As StartActor(), for the socket on which storage is asked for. It reads the
// user of its order and nothing of the request behind it, asks NSS, asks the
// policy, and tells the reader whom to become. It stays root under its filter,
// starts nothing after its order, and passes the answer on unread.
absl::StatusOr<Child> StartStorageActor(const ImpersonatorConfig& config,
                                        const SystemCallFilters& filters);

// How long an act may take from its go on.
absl::Duration StorageActTimeout(const ImpersonatorConfig& config);

}  // namespace carme::impersonator

#endif  // CARME_BACKEND_PRIVILEGED_STORAGE_ACTOR_H_
