// The icons that a site may give to apps and to templates of environments.
#ifndef CARME_BACKEND_POLICY_SPEC_APP_ICON_H_
#define CARME_BACKEND_POLICY_SPEC_APP_ICON_H_

#include <string>
#include <string_view>

namespace carme::backend {

inline constexpr char kDefaultAppIcon[] = "app";

// Whether the web application has an icon of this name.
bool IsAppIcon(std::string_view name);

// For the errors of a configuration: "expected app, jupyter, … or files".
std::string ExpectedAppIcons();

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_SPEC_APP_ICON_H_
