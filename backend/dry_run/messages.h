// The messages about dry runs of limits and templates (common/message.h).
#ifndef CARME_BACKEND_DRY_RUN_MESSAGES_H_
#define CARME_BACKEND_DRY_RUN_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::dry_run_messages {

inline constexpr ErrorTemplate kTooMany{
    absl::StatusCode::kResourceExhausted, "DRY_RUN_TOO_MANY",
    "another check of last week's jobs is running: try again"};

}  // namespace carme::backend::dry_run_messages

#endif  // CARME_BACKEND_DRY_RUN_MESSAGES_H_
