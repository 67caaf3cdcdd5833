#include "common/edf/paths.h"

#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "common/edf/limits.h"
#include "common/edf/messages.h"
#include "common/printable.h"

namespace carme {

bool LooksLikePath(std::string_view text) {
  return text.starts_with("/") || text.starts_with("./") ||
         text.starts_with("../") || text == "." || text == "..";
}

std::string AbsolutePath(std::string_view path, std::string_view cwd) {
  std::string whole(path);
  if (!path.starts_with("/"))
    whole = absl::StrCat(std::string(cwd), "/", whole);
  std::string clean;
  for (absl::string_view part : absl::StrSplit(whole, '/', absl::SkipEmpty())) {
    if (part != ".") absl::StrAppend(&clean, "/", part);
  }
  return clean.empty() ? "/" : clean;
}

DisplayText PathFault(std::string_view path) {
  if (!PrintableLength(path) || !IsUtf8(path)) {
    return MakeText(edf_messages::kPathCharacter);
  }
  if (path.find(':') != std::string_view::npos) {
    return MakeText(edf_messages::kPathColon);
  }
  if (path.size() > kMaxEdfPathBytes) {
    return MakeText(edf_messages::kPathTooLong,
                    {{"bytes", path.size()}, {"max", kMaxEdfPathBytes}});
  }
  return {};
}

bool HasParent(std::string_view path) {
  for (absl::string_view part :
       absl::StrSplit(absl::string_view(path.data(), path.size()), '/')) {
    if (part == "..") return true;
  }
  return false;
}

}  // namespace carme
