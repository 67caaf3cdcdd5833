// Errors of the proxy on the portal's API paths. Clients of the API read the
// errors of the Connect protocol (https://connectrpc.com/docs/protocol), and
// the proxy writes them as the frontend does.
#ifndef CARME_PROXY_LOCAL_REPLY_API_ERROR_H_
#define CARME_PROXY_LOCAL_REPLY_API_ERROR_H_

#include <string>
#include <string_view>

#include "proxy/local_reply/reply_reason.h"

namespace carme::proxy {

// Whether a request target is one of the API: "/carme.v1.JobService/ListJobs".
bool IsApiTarget(std::string_view target);

// {"code":"unavailable","message":"…","requestId":"…"}. The code follows from
// the HTTP status. REQUIRES: `message` and `request_id` need no escapes in
// JSON.
std::string ApiErrorJson(int status, std::string_view message,
                         std::string_view request_id);

// What a notice means to a client of the API.
std::string_view ApiMessageFor(ReplyReason reply_reason);

}  // namespace carme::proxy

#endif  // CARME_PROXY_LOCAL_REPLY_API_ERROR_H_
