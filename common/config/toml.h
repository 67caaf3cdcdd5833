// toml++, as all of Carme includes it, so that every file has the same one.
#ifndef CARME_COMMON_CONFIG_TOML_H_
#define CARME_COMMON_CONFIG_TOML_H_

// Debian's library is compiled with exceptions: use the headers alone.
#define TOML_EXCEPTIONS 0
#define TOML_HEADER_ONLY 1
// Its assertions hold for TOML, not for every text: a hostile one would end a
// program that is built for debugging. Behind them are errors, as behind GCC's
// NDEBUG.
#define TOML_ASSERT(expression) static_cast<void>(0)

#include <toml++/toml.h>

#endif  // CARME_COMMON_CONFIG_TOML_H_
