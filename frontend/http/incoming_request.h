// Checks a request that cpp-httplib has parsed, and converts it. The library
// accepts more than HTTP/1.1 allows and than the portal needs; what its reader
// of bodies would do with the rest is in docs/adr/0118-frontend-http-server.md.
//
// Pure function.
#ifndef CARME_FRONTEND_HTTP_INCOMING_REQUEST_H_
#define CARME_FRONTEND_HTTP_INCOMING_REQUEST_H_

#include <cstddef>
#include <optional>

#include "frontend/http/http_message.h"

namespace httplib {
struct Request;
}  // namespace httplib

namespace carme::frontend {

// Of all header fields together, without separators.
inline constexpr size_t kMaxHeaderBytes = 16 << 10;
inline constexpr size_t kMaxHeaderFields = 64;
inline constexpr size_t kMaxTargetBytes = 1024;
// Of a body. carme-proxy forwards none that are larger (kMaxPortalBody).
inline constexpr size_t kMaxBodyBytes = 64 << 10;

struct IncomingRequest {
  HttpRequest request{};  // without body
  size_t content_length = 0;
};

// Returns why the request is refused, or nothing and fills `incoming`. Only
// POST has a body, with Content-Length; each header field is sent once.
std::optional<HttpError> ConvertRequest(const httplib::Request& parsed,
                                        IncomingRequest* incoming);

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_HTTP_INCOMING_REQUEST_H_
