// The site's own name, logo and colours of the portal: [branding] in
// frontend.toml.
#ifndef CARME_FRONTEND_BRANDING_H_
#define CARME_FRONTEND_BRANDING_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "common/config/config.h"
#include "frontend/static_site.h"

namespace carme::frontend {

struct Branding {
  // Limits of the configuration.
  static constexpr size_t kMaxName = 40;            // characters
  static constexpr size_t kMaxLabel = 40;           // characters
  static constexpr size_t kMaxLoginMessage = 1000;  // characters
  static constexpr size_t kMaxLogoBytes = 256 << 10;
  static constexpr size_t kMaxLinks = 6;

  struct Link {
    std::string label;
    std::string url;  // https
  };

  std::string name = "Carme";
  std::string logo{};           // an SVG, PNG or WebP file; empty: Carme's
  std::string color{};          // #rrggbb; empty: Carme's
  std::string color_dark{};     // for the dark scheme
  std::string login_message{};  // Markdown, on the log-in page
  std::vector<Link> links{};    // such as imprint and privacy
};

// Refuses colours on which text would be hard to read.
void ReadBranding(ConfigTable table, Branding* branding);

// What index.html tells the application.
std::vector<PageField> BrandingFields(const Branding& branding);
// The logo, and the manifest for installing the portal as an application.
// Errors of reading the logo.
absl::StatusOr<std::vector<SiteAddition>> BrandingFiles(
    const Branding& branding);

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_BRANDING_H_
