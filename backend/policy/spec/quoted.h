// Names in quotation marks, for messages.
#ifndef CARME_BACKEND_POLICY_SPEC_QUOTED_H_
#define CARME_BACKEND_POLICY_SPEC_QUOTED_H_

#include <string>
#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace carme::backend {

inline std::string Quoted(std::string_view text) {
  return absl::StrCat("\"", absl::string_view(text.data(), text.size()), "\"");
}

// "none" for an empty list.
template <typename Names>
std::string QuotedList(const Names& names) {
  if (names.empty()) return "none";
  return absl::StrJoin(names, ", ",
                       [](std::string* out, std::string_view name) {
                         out->append(Quoted(name));
                       });
}

}  // namespace carme::backend

#endif  // CARME_BACKEND_POLICY_SPEC_QUOTED_H_
