// What the frontend reports about its start and its readiness.
#ifndef CARME_FRONTEND_MESSAGES_H_
#define CARME_FRONTEND_MESSAGES_H_

#include "absl/status/status.h"
#include "common/message.h"

namespace carme::frontend::frontend_messages {

inline constexpr ErrorTemplate kNotConnected{absl::StatusCode::kUnavailable,
                                             "FRONTEND_NOT_CONNECTED",
                                             "not connected to the backend"};

inline constexpr ErrorTemplate kNotAFile{absl::StatusCode::kFailedPrecondition,
                                         "FRONTEND_NOT_A_FILE",
                                         "\"{path}\" is not a regular file"};

inline constexpr ErrorTemplate kTooManyFiles{
    absl::StatusCode::kResourceExhausted, "FRONTEND_TOO_MANY_FILES",
    "\"{folder}\" has more than {max} files"};

inline constexpr ErrorTemplate kNoIndex{absl::StatusCode::kNotFound,
                                        "FRONTEND_NO_INDEX",
                                        "\"{folder}\" has no index.html"};

inline constexpr ErrorTemplate kNoHead{
    absl::StatusCode::kFailedPrecondition, "FRONTEND_NO_HEAD",
    "index.html of the web application has no </head>: install the one of this "
    "release"};

}  // namespace carme::frontend::frontend_messages

#endif  // CARME_FRONTEND_MESSAGES_H_
