// Errors of `carmectl support-bundle`.
#ifndef CARME_BACKEND_CARMECTL_SUPPORT_MESSAGES_H_
#define CARME_BACKEND_CARMECTL_SUPPORT_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::carmectl::support_messages {

inline constexpr ErrorTemplate kNotToml{
    absl::StatusCode::kInvalidArgument, "SUPPORT_BUNDLE_NOT_TOML",
    "line {line}, column {column}: not TOML"};

}  // namespace carme::carmectl::support_messages

#endif  // CARME_BACKEND_CARMECTL_SUPPORT_MESSAGES_H_
