// The heads that the proxy itself writes, from those it has read. Pure
// functions; each field is copied, dropped or written anew by a rule here.
#ifndef CARME_PROXY_HTTP_HEAD_WRITER_H_
#define CARME_PROXY_HTTP_HEAD_WRITER_H_

#include <string>
#include <string_view>

#include "proxy/http/http1_head.h"

namespace carme::proxy {

enum class UpstreamKind { kPortal, kJob };

// What the next hop is told about a request's origin.
struct RequestContext {
  std::string_view client_address;
  std::string_view request_id;
  // Of the target: what the app does not know of, and is told as
  // X-Forwarded-Prefix. Empty: it gets the whole.
  std::string_view prefix{};
  // The body is read completely before the head is sent: AttachBody() adds its
  // framing.
  bool whole_body = false;
};

// Appends the head for the next hop. Framing is `head.body`'s.
void AppendRequest(const RequestHead& head, UpstreamKind upstream_kind,
                   const RequestContext& facts, std::string* out);

// Appends `body` to a head that was made with `whole_body`, with its length.
void AttachBody(std::string_view body, std::string* request);

// Whether a field of an answer may reach the client. Framing never does.
bool MayPassToClient(const Field& field, UpstreamKind upstream_kind);

// Appends the head for the client with the framing `body` (kUntilClose goes
// out as chunked). `close`: the connection ends after this answer.
void AppendResponse(const ResponseHead& head, UpstreamKind upstream_kind,
                    const BodyFraming& body, bool close, std::string* out);

}  // namespace carme::proxy

#endif  // CARME_PROXY_HTTP_HEAD_WRITER_H_
