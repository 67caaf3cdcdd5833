// The paths that an environment may contain.
#ifndef CARME_COMMON_EDF_PATHS_H_
#define CARME_COMMON_EDF_PATHS_H_

#include <string>
#include <string_view>

#include "common/display_text.h"

namespace carme {

// Whether it begins with "/", "./" or "../", or is "." or "..".
bool LooksLikePath(std::string_view text);

// `path` as an absolute path, relative to `cwd`, without ".", repeated and
// trailing slashes. ".." stays, because a link may precede it. REQUIRES:
// LooksLikePath(path).
std::string AbsolutePath(std::string_view path, std::string_view cwd);

// Why an absolute path is refused: a control character, a ":", or its length.
// Empty: it is accepted.
DisplayText PathFault(std::string_view path);

// Whether one of its components is "..".
bool HasParent(std::string_view path);

}  // namespace carme

#endif  // CARME_COMMON_EDF_PATHS_H_
