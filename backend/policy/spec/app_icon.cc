#include "backend/policy/spec/app_icon.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace carme::backend {
namespace {

// As in frontend/web/src/ui/app_icon.ts.
constexpr const char* kAppIcons[] = {kDefaultAppIcon, "jupyter", "code",
                                     "terminal",      "chart",   "desktop",
                                     "files"};

}  // namespace

bool IsAppIcon(std::string_view name) {
  return std::find(std::begin(kAppIcons), std::end(kAppIcons), name) !=
         std::end(kAppIcons);
}

std::string ExpectedAppIcons() {
  const auto last = std::prev(std::end(kAppIcons));
  return absl::StrCat("expected ",
                      absl::StrJoin(std::begin(kAppIcons), last, ", "), " or ",
                      *last);
}

}  // namespace carme::backend
