// The messages of the services that help administrators to fill in forms
// (common/message.h).
#ifndef CARME_BACKEND_RPC_ADMINISTRATION_MESSAGES_H_
#define CARME_BACKEND_RPC_ADMINISTRATION_MESSAGES_H_

#include "common/message.h"

namespace carme::backend::rpc_administration_messages {

inline constexpr ErrorTemplate kChoiceKindInvalid{
    absl::StatusCode::kInvalidArgument, "CHOICE_KIND_INVALID",
    "kind: unknown value"};

inline constexpr ErrorTemplate kTooManySearches{
    absl::StatusCode::kResourceExhausted, "CHOICE_TOO_MANY_SEARCHES",
    "too many searches wait for the directory: try again"};

}  // namespace carme::backend::rpc_administration_messages

#endif  // CARME_BACKEND_RPC_ADMINISTRATION_MESSAGES_H_
