// Which trailers the proxy forwards, in both directions. Pure functions.
#ifndef CARME_PROXY_HTTP_TRAILERS_H_
#define CARME_PROXY_HTTP_TRAILERS_H_

#include <functional>
#include <string>
#include <string_view>

namespace carme::proxy {

// Whether a field may be a trailer: not one that frames, routes, authorizes or
// describes the message (RFC 9110 section 6.5.1), because some recipients merge
// trailers into the head.
bool IsAllowedTrailer(std::string_view name, std::string_view value);

// Calls `visit` for the allowed ones of `lines`, each with CRLF.
void ForEachTrailer(std::string_view lines,
                    const std::function<void(std::string_view name,
                                             std::string_view value)>& visit);
void AppendTrailers(std::string_view lines, std::string* out);

// Appends the end of a chunked body with the allowed trailers of `lines`.
void AppendLastChunk(std::string_view lines, std::string* out);

}  // namespace carme::proxy

#endif  // CARME_PROXY_HTTP_TRAILERS_H_
