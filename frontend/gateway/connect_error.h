// Errors in the format of the Connect protocol.
// https://connectrpc.com/docs/protocol#error-end-stream
#ifndef CARME_FRONTEND_GATEWAY_CONNECT_ERROR_H_
#define CARME_FRONTEND_GATEWAY_CONNECT_ERROR_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "frontend/http/http_message.h"

namespace carme::frontend {

// {"code":"not_found","message":"…","requestId":"…"}, and "details" where the
// status has details of error_details.h.
std::string ErrorJson(const absl::Status& status, std::string_view request_id);

// The response to a failed unary call, with the HTTP status of its code.
HttpResponse ErrorResponse(const absl::Status& status,
                           std::string_view request_id);

// The same for errors that have their own HTTP status.
HttpResponse ErrorResponse(const HttpError& error, std::string_view request_id);

// The last message of a stream, in its envelope. OK: {}.
std::string EndOfStream(const absl::Status& status,
                        std::string_view request_id);

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_GATEWAY_CONNECT_ERROR_H_
