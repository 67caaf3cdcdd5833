// Which trailers pass the proxy, in both directions. Pure functions.
#ifndef CARME_PROXY_HTTP_TRAILERS_H_
#define CARME_PROXY_HTTP_TRAILERS_H_

#include <functional>
#include <string>
#include <string_view>

namespace carme::proxy {

// Whether a field may come behind a body: nothing that frames, routes,
// authorizes or describes the message (RFC 9110 section 6.5.1), because who
// adds trailers to the head would be told lies by them.
bool IsAllowedTrailer(std::string_view name, std::string_view value);

// Calls `visit` for those of `lines`, each with CRLF, that may pass.
void ForEachTrailer(std::string_view lines,
                    const std::function<void(std::string_view name,
                                             std::string_view value)>& visit);
void AppendTrailers(std::string_view lines, std::string* out);

}  // namespace carme::proxy

#endif  // CARME_PROXY_HTTP_TRAILERS_H_
