// The stream of a browser's connection is the one of any HTTP/2 connection.
#ifndef CARME_PROXY_HTTP2_STREAM_H_
#define CARME_PROXY_HTTP2_STREAM_H_

#include "common/net/http2_stream.h"

namespace carme::proxy {

using net::Http2Carrier;
using net::Http2Stream;

}  // namespace carme::proxy

#endif  // CARME_PROXY_HTTP2_STREAM_H_
