// The names of packages that an image may be built from. The backend checks
// what users send, and the agent checks it again before a package manager reads
// it: a text that passes cannot be an option, an address, a path or a second
// line. Pure functions.
#ifndef CARME_COMMON_PACKAGES_PACKAGE_RULES_H_
#define CARME_COMMON_PACKAGES_PACKAGE_RULES_H_

#include <cstddef>
#include <string_view>

namespace carme {

inline constexpr size_t kMaxPackages = 100;  // of one kind, in one image
inline constexpr size_t kMaxPackageBytes = 128;

// A binary package without version: "r-base-core".
bool IsDebianPackage(std::string_view text);

// Name, extras and versions of PEP 508, without spaces:
// "jax[cuda12]>=0.5,<0.7". Not: markers, addresses ("@"), and names of
// archives, which pip takes for files.
bool IsPipPackage(std::string_view text);

// Name and versions, without channel, build and spaces: "numpy>=2",
// "r-base=4.4".
bool IsCondaPackage(std::string_view text);

// A release of Debian: "trixie".
bool IsDebianSuite(std::string_view text);

// "https://host[:port][/path]", without user, query and fragment; `insecure`:
// also "http://", for archives that are signed.
bool IsPackageUrl(std::string_view url, bool insecure = false);

// An absolute path that needs no quoting in a definition file of Apptainer:
// letters, digits and "._+@-/", without "..".
bool IsDefinitionPath(std::string_view path);

}  // namespace carme

#endif  // CARME_COMMON_PACKAGES_PACKAGE_RULES_H_
