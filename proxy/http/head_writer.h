// Writes the heads of messages that the proxy forwards. Each field is copied,
// dropped or written anew by a rule here. Pure functions.
#ifndef CARME_PROXY_HTTP_HEAD_WRITER_H_
#define CARME_PROXY_HTTP_HEAD_WRITER_H_

#include <string>
#include <string_view>

#include "common/http1/head.h"

namespace carme::proxy {

enum class UpstreamKind { kPortal, kJob };

// What the proxy sends to the upstream about the request's origin.
struct RequestContext {
  std::string_view client_address;
  std::string_view request_id;
  // The path prefix that is removed from the target and sent as
  // X-Forwarded-Prefix. Empty: the target stays as it is.
  std::string_view prefix{};
  // Is sent instead of the client's. Empty: none.
  std::string_view traceparent{};
  // Whether the client's tracestate belongs to it.
  bool keeps_tracestate = false;
  // The body is read completely before the head is sent. AttachBody() then adds
  // the framing.
  bool whole_body = false;
  // Accept-Encoding is not sent, so that the response can be added to.
  bool unencoded = false;
};

// Appends the head for the upstream, framed as `head.body`.
void AppendRequest(const RequestHead& head, UpstreamKind upstream_kind,
                   const RequestContext& facts, std::string* out);

// Appends `body` and its length to a head that was written with `whole_body`.
void AttachBody(std::string_view body, std::string* request);

// Whether a field of a response may reach the client. Framing fields never do.
bool MayPassToClient(const Field& field, UpstreamKind upstream_kind);

// Appends the head for the client, framed as `body` (kUntilClose is sent in
// chunks). `close`: the connection ends after this response.
void AppendResponse(const ResponseHead& head, UpstreamKind upstream_kind,
                    const BodyFraming& body, bool close, std::string* out);

}  // namespace carme::proxy

#endif  // CARME_PROXY_HTTP_HEAD_WRITER_H_
