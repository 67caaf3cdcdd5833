// The portal's own address, as a browser writes it.
#ifndef CARME_FRONTEND_HTTP_PORTAL_ORIGIN_H_
#define CARME_FRONTEND_HTTP_PORTAL_ORIGIN_H_

#include <optional>
#include <string>
#include <string_view>

namespace carme::frontend {

struct PortalOrigin {
  std::string origin;  // "https://portal.example:8443"
  std::string host;    // "portal.example:8443"
};

// From "https://host[:port]", without a path; the default port is dropped and
// letters become lower case, as browsers do. Nothing for anything else.
std::optional<PortalOrigin> ParsePortalOrigin(std::string_view url);

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_HTTP_PORTAL_ORIGIN_H_
