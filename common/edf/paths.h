// Paths as an environment may name them.
#ifndef CARME_COMMON_EDF_PATHS_H_
#define CARME_COMMON_EDF_PATHS_H_

#include <string>
#include <string_view>

namespace carme {

// Whether it begins with "/", "./" or "../", or is "." or "..".
bool LooksLikePath(std::string_view text);

// `path`, which LooksLikePath, as an absolute one: relative to `cwd`, without
// ".", doubled and last slashes. ".." stays, because links may stand before it.
std::string AbsolutePath(std::string_view path, std::string_view cwd);

// What an absolute path must satisfy to be handed on: no control character, no
// ":", not too long. Empty: it does; else the reason.
std::string PathFault(std::string_view path);

// Whether one of its components is "..".
bool HasParent(std::string_view path);

}  // namespace carme

#endif  // CARME_COMMON_EDF_PATHS_H_
