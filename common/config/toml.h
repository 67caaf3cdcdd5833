// Includes toml++ with the same options in all files.
#ifndef CARME_COMMON_CONFIG_TOML_H_
#define CARME_COMMON_CONFIG_TOML_H_

// Debian's library is compiled with exceptions: use the headers alone.
#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
// Its assertions hold for TOML, but not for every text: a hostile text would
// abort a debug build. Without assertions it reports errors, as with NDEBUG.
#define TOML_ASSERT(expression) static_cast<void>(0)

#include <toml++/toml.h>

#endif  // CARME_COMMON_CONFIG_TOML_H_
