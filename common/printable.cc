#include "common/printable.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

#include "common/character_ranges.h"

namespace carme {
namespace {

constexpr uint32_t kZeroWidthNonJoiner = 0x200c;
constexpr uint32_t kZeroWidthJoiner = 0x200d;
constexpr uint32_t kEmojiStyle = 0xfe0f;  // a variation selector
// Replaces bytes that are not UTF-8.
constexpr uint32_t kNoCharacter = 0xffffffff;

// The number of bytes of the first character of `text`; 0: invalid. RFC 3629,
// section 4: no overlong forms, no surrogates, no code above U+10FFFF.
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

// The bytes after the returned part that are inspected.
constexpr size_t kReadAhead = 64;

struct Character {
  uint32_t code;
  size_t begin;
  size_t length;
};

std::vector<Character> CharactersOf(std::string_view text) {
  std::vector<Character> characters;
  for (size_t i = 0; i < text.size();) {
    const size_t length = CharacterLength(text.substr(i));
    uint32_t code = kNoCharacter;
    if (length > 0) {
      const auto first = static_cast<unsigned char>(text[i]);
      code = length == 1 ? first : first & (0x7fU >> length);
      for (size_t k = 1; k < length; ++k) {
        code = (code << 6) | (static_cast<unsigned char>(text[i + k]) & 0x3fU);
      }
    }
    characters.push_back({code, i, std::max<size_t>(length, 1)});
    i += std::max<size_t>(length, 1);
  }
  return characters;
}

template <size_t kSize>
bool IsIn(const CharacterRange (&ranges)[kSize], uint32_t code) {
  const auto* behind =
      std::upper_bound(std::begin(ranges), std::end(ranges), code,
                       [](uint32_t one, const CharacterRange& range) {
                         return one < range.first;
                       });
  return behind != std::begin(ranges) && code <= std::prev(behind)->last;
}

// The nearest character before (`step` is -1) or after (1) the one at `i` for
// which `skip` is false. 0: none.
template <typename Skip>
uint32_t Neighbour(const std::vector<Character>& text, size_t i, int step,
                   const Skip& skip) {
  for (size_t at = i + step; at < text.size(); at += step) {
    if (!skip(text[at].code)) return text[at].code;
  }
  return 0;
}

bool IsEmojiModifier(uint32_t code) {
  return (code >= 0x1f3fb && code <= 0x1f3ff) || code == kEmojiStyle;
}

// UAX 31, section 2.3, rules A1, A2 and B, and UTS 51, definition ED-16: where
// a joiner changes the visible text.
bool IsJoinerInContext(const std::vector<Character>& text, size_t i) {
  const auto none = [](uint32_t) { return false; };
  const auto transparent = [](uint32_t code) {
    return IsIn(kTransparent, code);
  };
  if (IsIn(kViramas, Neighbour(text, i, -1, none))) return true;
  if (text[i].code == kZeroWidthNonJoiner) {
    return IsIn(kJoinsForward, Neighbour(text, i, -1, transparent)) &&
           IsIn(kJoinsBackward, Neighbour(text, i, 1, transparent));
  }
  return IsIn(kPictographs, Neighbour(text, i, -1, IsEmojiModifier)) &&
         IsIn(kPictographs, Neighbour(text, i, 1, none));
}

bool IsPrintable(const std::vector<Character>& text, size_t i) {
  const uint32_t code = text[i].code;
  if (code == kNoCharacter) return true;  // not refused here
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return false;
  if (code == 0x2028 || code == 0x2029) return false;
  if (code >= 0xfff9 && code <= 0xfffb) return false;  // annotations
  if (code == kZeroWidthNonJoiner || code == kZeroWidthJoiner) {
    return IsJoinerInContext(text, i);
  }
  // Selects the style of an emoji or a CJK character: after a visible one.
  if (code >= 0xfe00 && code <= kEmojiStyle) {
    return i > 0 && !IsIn(kIgnorable, text[i - 1].code);
  }
  return !IsIn(kIgnorable, code);
}

}  // namespace

std::optional<size_t> PrintableLength(std::string_view text) {
  const std::vector<Character> characters = CharactersOf(text);
  for (size_t i = 0; i < characters.size(); ++i) {
    if (!IsPrintable(characters, i)) return std::nullopt;
  }
  return characters.size();
}

std::string PlainText(std::string_view text, size_t max) {
  std::string plain(text.substr(0, max));
  for (char& c : plain) {
    if (c < ' ' || c > '~') c = '?';
  }
  return plain;
}

std::string Readable(std::string_view text, size_t max) {
  // More than is returned, so that the last character has its neighbours.
  if (max < text.size() && text.size() - max > kReadAhead) {
    text = text.substr(0, max + kReadAhead);
  }
  const std::vector<Character> characters = CharactersOf(text);
  std::string readable;
  for (size_t i = 0; i < characters.size() && readable.size() < max; ++i) {
    const Character& character = characters[i];
    if (character.code == kNoCharacter || !IsPrintable(characters, i)) {
      readable.push_back('?');
    } else if (readable.size() + character.length <= max) {
      readable.append(text.substr(character.begin, character.length));
    } else {
      break;
    }
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
  // The lowest and the highest continuation: one of them is valid after every
  // beginning.
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
