// A strict parser of HTTP/1.1 heads. It rejects what RFC 9112 leaves to the
// recipient's tolerance, so that no other recipient can parse the same bytes as
// another message (request smuggling).
//
// Pure functions. The results are views into the input.
//
// Rejected, besides malformed heads: a bare CR or LF, obs-fold, a space before
// a colon, control characters, HTTP/1.0 requests, an absolute target, a missing
// or second Host, a second or non-numeric Content-Length, or one together with
// Transfer-Encoding, any transfer coding but a single `chunked`, unknown
// Connection options.
#ifndef CARME_COMMON_HTTP1_HEAD_H_
#define CARME_COMMON_HTTP1_HEAD_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "common/http1/field.h"

namespace carme {

struct HeadLimits {
  size_t max_bytes = 32 * 1024;
  size_t max_fields = 100;
  size_t max_target_bytes = 16 * 1024;
};

// How the end of a body is determined.
enum class BodyKind : uint8_t { kNone, kLength, kChunked, kUntilClose };

struct BodyFraming {
  BodyKind kind = BodyKind::kNone;
  uint64_t length = 0;  // of kLength
};

// Common to requests and responses.
struct Head {
  std::vector<Field> fields;
  // The framing that the fields declare.
  bool chunked = false;
  bool has_length = false;
  uint64_t length = 0;
  // Connection options.
  bool close = false;
  bool keep_alive = false;
  bool upgrade = false;
  // The Upgrade field is exactly `websocket`.
  bool websocket = false;

  const Field* Find(FieldId id) const;  // the first one, or null
};

struct RequestHead : Head {
  size_t bytes = 0;  // in all
  std::string_view method;
  std::string_view target;  // starts with '/'
  std::string_view host;
  BodyFraming body;
  // A websocket handshake: GET without a body (RFC 6455 section 4.1).
  bool opens_websocket = false;
  bool expects_continue = false;

  bool IsSafe() const;  // GET, HEAD, OPTIONS
};

struct ResponseHead : Head {
  int status = 0;
  bool http10 = false;
  std::string_view reason;
};

enum class ScanState { kMore, kDone, kRefused };

struct ScanResult {
  ScanState state = ScanState::kMore;
  size_t head_bytes = 0;  // of kDone: offset of the body
  int status = 0;         // of kRefused: the response's status
  // of kRefused: for log and response; never contains input
  const char* error = "";
};

// `head` is valid after kDone only. Its storage is reused.
ScanResult ScanRequest(std::string_view bytes, const HeadLimits& limits,
                       RequestHead* head);
ScanResult ScanResponse(std::string_view bytes, const HeadLimits& limits,
                        ResponseHead* head);

// Determines how the body of a response ends (RFC 9112 section 6.3). False: the
// framing contradicts the status.
bool FrameResponse(const ResponseHead& head, bool to_head_request,
                   BodyFraming* body);

}  // namespace carme

#endif  // CARME_COMMON_HTTP1_HEAD_H_
