// Heads of HTTP/1.1 messages, scanned strictly: what RFC 9112 leaves to the
// reader's leniency is refused, so that the server behind cannot read the same
// bytes as another message (request smuggling).
//
// Pure functions over bytes. What they find are views into those bytes.
//
// Refused, beside what is no head at all: a bare CR or LF, obs-fold, space
// before a colon, control characters, HTTP/1.0 requests, an absolute target,
// no Host or two, Content-Length twice or with anything but digits, together
// with Transfer-Encoding, any transfer coding but a single `chunked`, a
// Connection option that is not known here.
#ifndef CARME_PROXY_HTTP_HTTP1_HEAD_H_
#define CARME_PROXY_HTTP_HTTP1_HEAD_H_

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "proxy/http/field.h"

namespace carme::proxy {

struct HeadLimits {
  size_t max_bytes = 32 * 1024;
  size_t max_fields = 100;
  size_t max_target_bytes = 16 * 1024;
};

// How the bytes of a body end.
enum class BodyKind : uint8_t { kNone, kLength, kChunked, kUntilClose };

struct BodyFraming {
  BodyKind kind = BodyKind::kNone;
  uint64_t length = 0;  // of kLength
};

// What both kinds of head have.
struct Head {
  std::vector<Field> fields;
  // The message's own framing, by its fields alone.
  bool chunked = false;
  bool has_length = false;
  uint64_t length = 0;
  // Connection options.
  bool close = false;
  bool keep_alive = false;
  bool upgrade = false;
  // The Upgrade field is `websocket` and nothing else.
  bool websocket = false;

  const Field* Find(FieldId id) const;  // the first; null without one
};

struct RequestHead : Head {
  size_t bytes = 0;  // in all
  std::string_view method;
  std::string_view target;  // begins with '/'
  std::string_view host;
  BodyFraming body;
  // A websocket opening handshake: GET, no body (RFC 6455 section 4.1).
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
  size_t head_bytes = 0;   // of kDone: the body begins there
  int status = 0;          // of kRefused: the answer to a client
  const char* error = "";  // of kRefused: for log and answer, no foreign bytes
};

// `head` is for use only after kDone; its storage is used again.
ScanResult ScanRequest(std::string_view bytes, const HeadLimits& limits,
                       RequestHead* head);
ScanResult ScanResponse(std::string_view bytes, const HeadLimits& limits,
                        ResponseHead* head);

// How the body of an answer to a request ends (RFC 9112 section 6.3). False:
// it contradicts its status.
bool FrameResponse(const ResponseHead& head, bool to_head_request,
                   BodyFraming* body);

}  // namespace carme::proxy

#endif  // CARME_PROXY_HTTP_HTTP1_HEAD_H_
