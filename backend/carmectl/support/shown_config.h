// A configuration file without what must not leave the site.
#ifndef CARME_BACKEND_CARMECTL_SUPPORT_SHOWN_CONFIG_H_
#define CARME_BACKEND_CARMECTL_SUPPORT_SHOWN_CONFIG_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace carme::carmectl {

// The file as TOML, in which "***" replaces each value that is not known to be
// harmless: numbers, booleans and times stay unless the key names a secret,
// texts only with keys of a list and in the form of an address, a name or an
// absolute path. Comments are dropped. Tables of environment variables and
// headers lose all values. INVALID_ARGUMENT: not TOML; the message has the
// position only.
absl::StatusOr<std::string> ShownConfig(std::string_view toml);

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_SUPPORT_SHOWN_CONFIG_H_
