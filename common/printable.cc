#include "common/printable.h"

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

// The bytes of the character that begins `text`; 0: it is none. RFC 3629,
// section 4: no overlong forms, no surrogates, nothing above U+10FFFF.
size_t CharacterLength(std::string_view text) {
  const auto at = [&](size_t i) -> unsigned {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0;
  };
  const auto follows = [&](size_t i, unsigned low = 0x80,
                           unsigned high = 0xbf) {
    return at(i) >= low && at(i) <= high;
  };
  const unsigned first = at(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const unsigned low = first == 0xe0 ? 0xa0 : 0x80;
    const unsigned high = first == 0xed ? 0x9f : 0xbf;
    return follows(1, low, high) && follows(2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const unsigned low = first == 0xf0 ? 0x90 : 0x80;
    const unsigned high = first == 0xf4 ? 0x8f : 0xbf;
    return follows(1, low, high) && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

bool Continues(char byte) {
  return (static_cast<unsigned char>(byte) & 0xc0) == 0x80;
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

std::string Readable(std::string_view text, size_t most) {
  std::string readable;
  while (!text.empty() && readable.size() < most) {
    const size_t length = CharacterLength(text);
    const std::string_view character = text.substr(0, length);
    if (length == 0 || !PrintableLength(character)) {
      readable.push_back('?');
    } else if (readable.size() + length <= most) {
      readable.append(character);
    } else {
      break;
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return readable;
}

std::string ValidUtf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const size_t length = CharacterLength(text);
    if (length == 0) {
      valid.push_back('?');
    } else {
      valid.append(text.substr(0, length));
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return valid;
}

size_t CutOffBefore(std::string_view text) {
  size_t length = 0;
  while (length < 3 && length < text.size() && Continues(text[length])) {
    ++length;
  }
  return length;
}

size_t CutOffBehind(std::string_view text) {
  size_t length = 1;
  while (length < 4 && length < text.size() &&
         Continues(text[text.size() - length])) {
    ++length;
  }
  if (length > 3 || length > text.size()) return 0;
  const std::string begun(text.substr(text.size() - length));
  if (CharacterLength(begun) != 0) return 0;
  // The lowest and the highest way to go on: one of them fits every beginning.
  const bool goes_on = CharacterLength(begun + "\x80\x80\x80") > length ||
                       CharacterLength(begun + "\xbf\xbf\xbf") > length;
  return goes_on ? length : 0;
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const size_t length = CharacterLength(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

}  // namespace carme
