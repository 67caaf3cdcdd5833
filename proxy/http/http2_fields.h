// Header fields of responses to HTTP/2 clients.
#ifndef CARME_PROXY_HTTP_HTTP2_FIELDS_H_
#define CARME_PROXY_HTTP_HTTP2_FIELDS_H_

#include <nghttp2/nghttp2.h>

#include <string>
#include <string_view>
#include <vector>

#include "common/http1/head.h"
#include "proxy/http/head_writer.h"

namespace carme::proxy {

// A field list for nghttp2. The result of List() is valid until the next
// change.
class Http2Fields {
 public:
  // The name is sent in lower case.
  void Add(std::string_view name, std::string_view value);
  bool empty() const { return sizes_.empty(); }
  const std::vector<nghttp2_nv>& List();

 private:
  struct Size {
    size_t name_bytes, value_bytes;
  };
  std::string bytes_;
  std::vector<Size> sizes_;
  std::vector<nghttp2_nv> list_;
};

// The same head that AppendResponse writes. 101 becomes 200, the response to an
// extended CONNECT (RFC 8441 section 5).
Http2Fields Http2Response(const ResponseHead& head, UpstreamKind upstream_kind,
                          const BodyFraming& body);
Http2Fields Http2Trailers(std::string_view lines);

}  // namespace carme::proxy

#endif  // CARME_PROXY_HTTP_HTTP2_FIELDS_H_
