#include "backend/identity/ldap_filter.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace carme::backend {

std::string EscapeFilterValue(std::string_view value) {
  std::string escaped;
  for (const char c : value) {
    const auto byte = static_cast<unsigned char>(c);
    if (absl::ascii_isalnum(byte) || c == '.' || c == '_' || c == '-' ||
        c == ',' || c == '=' || c == ' ' || c == '@') {
      escaped.push_back(c);
    } else {
      absl::StrAppend(&escaped, "\\", absl::Hex(byte, absl::kZeroPad2));
    }
  }
  return escaped;
}

std::string FillFilter(std::string_view pattern,
                       const std::map<char, std::string_view>& values) {
  std::string filter;
  for (size_t i = 0; i < pattern.size(); ++i) {
    const auto value = pattern[i] == '%' && i + 1 < pattern.size()
                           ? values.find(pattern[i + 1])
                           : values.end();
    if (value == values.end()) {
      filter.push_back(pattern[i]);
    } else {
      filter += EscapeFilterValue(value->second);
      ++i;
    }
  }
  return filter;
}

}  // namespace carme::backend
