// Errors that apps share.
#ifndef CARME_SLURM_HOOKS_WEB_APP_MESSAGES_H_
#define CARME_SLURM_HOOKS_WEB_APP_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::web_app::web_app_messages {

inline constexpr ErrorTemplate kSocketPath{
    absl::StatusCode::kInvalidArgument, "WEB_APP_SOCKET_PATH",
    "socket \"{path}\": expected 1 to {max} bytes"};

}  // namespace carme::web_app::web_app_messages

#endif  // CARME_SLURM_HOOKS_WEB_APP_MESSAGES_H_
