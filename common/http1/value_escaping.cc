#include "common/http1/value_escaping.h"

#include <cstddef>

namespace carme {

void AppendEscaped(std::string_view value, std::string* out) {
  while (true) {
    const size_t percent = value.find('%');
    out->append(value.substr(0, percent));
    if (percent == std::string_view::npos) return;
    out->append(kEscapedPercent);
    value.remove_prefix(percent + 1);
  }
}

std::string Unescape(std::string_view value) {
  std::string original;
  while (true) {
    const size_t escaped = value.find(kEscapedPercent);
    original.append(value.substr(0, escaped));
    if (escaped == std::string_view::npos) return original;
    original.push_back('%');
    value.remove_prefix(escaped + kEscapedPercent.size());
  }
}

}  // namespace carme
