#include "frontend/http/security_headers.h"

#include <array>
#include <utility>

namespace carme::frontend {
namespace {

// Scripts, styles and images from the portal's own host only; nothing inline,
// no frames in either direction. `data:` images are icons in styles. Text never
// becomes markup or a script: there is no policy of Trusted Types.
constexpr char kContentPolicy[] =
    "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; manifest-src 'self'; "
    "form-action 'self'; frame-ancestors 'none'; base-uri 'none'; "
    "require-trusted-types-for 'script'; trusted-types 'none'";

// Denied to pages. Only names that browsers support: others cause warnings in
// their consoles.
constexpr char kPermissions[] =
    "camera=(), display-capture=(), geolocation=(), microphone=(), "
    "payment=(), usb=()";

constexpr std::array<std::pair<const char*, const char*>, 7> kFields = {{
    {"Content-Security-Policy", kContentPolicy},
    {"Strict-Transport-Security", "max-age=63072000"},
    {"X-Content-Type-Options", "nosniff"},
    {"Referrer-Policy", "no-referrer"},
    {"Cross-Origin-Opener-Policy", "same-origin"},
    {"Cross-Origin-Resource-Policy", "same-origin"},
    {"Permissions-Policy", kPermissions},
}};

}  // namespace

void AddSecurityHeaders(HttpResponse* response) {
  for (const auto& [name, value] : kFields) response->Set(name, value);
}

}  // namespace carme::frontend
