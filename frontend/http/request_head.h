// A strict reader of the head of an HTTP/1.1 request: request line and header
// fields up to the blank line. What is ambiguous is refused, since the proxy
// in front must never see another request than we do.
#ifndef CARME_FRONTEND_HTTP_REQUEST_HEAD_H_
#define CARME_FRONTEND_HTTP_REQUEST_HEAD_H_

#include <cstddef>
#include <optional>
#include <string_view>

#include "frontend/http/http_message.h"

namespace carme::frontend {

inline constexpr size_t kMaxHeadBytes = 16 << 10;
inline constexpr size_t kMaxHeaders = 64;
inline constexpr size_t kMaxTargetBytes = 1024;

struct HttpRequestHead {
  HttpRequest request;  // without body and peer
  size_t content_length = 0;
  bool close = false;             // the connection ends after this request
  bool expects_continue = false;  // RFC 9110 section 10.1.1
};

// `text` ends with the blank line. Refuses everything but HTTP/1.1 with one
// Host, bodies without Content-Length, and repeated header fields.
std::optional<HttpError> ParseRequestHead(std::string_view text,
                                          HttpRequestHead* head);

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_HTTP_REQUEST_HEAD_H_
