// The messages about the storage of users (common/message.h).
#ifndef CARME_BACKEND_STORAGE_MESSAGES_H_
#define CARME_BACKEND_STORAGE_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::storage_messages {

inline constexpr ErrorTemplate kTooManyReadings{
    absl::StatusCode::kResourceExhausted, "STORAGE_TOO_MANY_READINGS",
    "too many storage readings at the moment; try again"};

}  // namespace carme::backend::storage_messages

#endif  // CARME_BACKEND_STORAGE_MESSAGES_H_
