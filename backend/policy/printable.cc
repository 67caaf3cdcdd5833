#include "backend/policy/printable.h"

namespace carme {
namespace {

// The UTF-8 forms of the marks named in the header.
bool IsDeceptive(unsigned first, unsigned second, unsigned third) {
  if (first < 0x20 || first == 0x7f) return true;
  if (first == 0xc2) return second < 0xa0;
  if (first == 0xe2 && second == 0x80) {
    return (third >= 0x8b && third <= 0x8f) || (third >= 0xa8 && third <= 0xae);
  }
  if (first == 0xe2 && second == 0x81) return third >= 0xa0 && third <= 0xa9;
  return first == 0xef && second == 0xbb && third == 0xbf;
}

}  // namespace

std::optional<size_t> PrintableLength(std::string_view text) {
  size_t count = 0;
  const auto at = [&](size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    if (IsDeceptive(at(i), at(i + 1), at(i + 2))) return std::nullopt;
    if ((at(i) & 0xc0) != 0x80) ++count;
  }
  return count;
}

std::string PlainText(std::string_view text, size_t most) {
  std::string plain(text.substr(0, most));
  for (char& c : plain) {
    if (c < ' ' || c > '~') c = '?';
  }
  return plain;
}

}  // namespace carme
