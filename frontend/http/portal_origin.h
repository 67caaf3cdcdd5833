// The portal's origin, as browsers send it.
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

// Parses "https://host[:port]" without a path. Drops the default port and
// converts to lower case, as browsers do. Returns nothing for other input.
std::optional<PortalOrigin> ParsePortalOrigin(std::string_view url);

// Whether the address is https and its host is `domain` (host[:port]) or below
// it.
bool IsInDomain(std::string_view url, std::string_view domain);

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_HTTP_PORTAL_ORIGIN_H_
