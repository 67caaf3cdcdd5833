// The portal's own address, as a browser writes it.
#ifndef CARME_FRONTEND_PORTAL_H_
#define CARME_FRONTEND_PORTAL_H_

#include <optional>
#include <string>
#include <string_view>

namespace carme::frontend {

struct Portal {
  std::string origin;  // "https://portal.example:8443"
  std::string host;    // "portal.example:8443"
};

// From "https://host[:port]", without a path; the default port is dropped and
// letters become lower case, as browsers do. Nothing for anything else.
std::optional<Portal> ParsePortal(std::string_view url);

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_PORTAL_H_
