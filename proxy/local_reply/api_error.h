// Errors of the proxy on the portal's API paths, in the format of the Connect
// protocol (https://connectrpc.com/docs/protocol), as the frontend sends them.
#ifndef CARME_PROXY_LOCAL_REPLY_API_ERROR_H_
#define CARME_PROXY_LOCAL_REPLY_API_ERROR_H_

#include <string>
#include <string_view>

#include "proxy/local_reply/reply_reason.h"

namespace carme::proxy {

// Whether a target belongs to the API: "/carme.v1.JobService/ListJobs".
bool IsApiTarget(std::string_view target);

// {"code":"unavailable","message":"…","requestId":"…"}. The code follows from
// the HTTP status. `message` and `request_id` must not need JSON escapes.
std::string ApiErrorJson(int status, std::string_view message,
                         std::string_view request_id);

// The error message for clients of the API.
std::string_view ApiMessageFor(ReplyReason reply_reason);

}  // namespace carme::proxy

#endif  // CARME_PROXY_LOCAL_REPLY_API_ERROR_H_
