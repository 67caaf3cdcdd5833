// Reads the head of a request and applies the portal's rules: HTTP/1.1 with
// unambiguous framing (common/http1), each header field once, and a body only
// with POST and Content-Length.
//
// Pure function.
#ifndef CARME_FRONTEND_HTTP_REQUEST_HEAD_H_
#define CARME_FRONTEND_HTTP_REQUEST_HEAD_H_

#include <cstdint>
#include <string_view>

#include "common/http1/head.h"
#include "frontend/http/http_message.h"

namespace carme::frontend {

inline constexpr HeadLimits kRequestHeadLimits = {
    .max_bytes = 16 << 10, .max_fields = 64, .max_target_bytes = 1024};

struct HttpRequestHead {
  HttpRequest request{};  // without body and peer
  uint64_t content_length = 0;
  bool close = false;             // the connection ends after this request
  bool expects_continue = false;  // RFC 9110 section 10.1.1
};

// `head` is valid after ScanState::kDone only; then bytes after `head_bytes`
// belong to the body.
ScanResult ScanRequestHead(std::string_view bytes, HttpRequestHead* head);

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_HTTP_REQUEST_HEAD_H_
