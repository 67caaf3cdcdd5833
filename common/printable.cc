#include "common/printable.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <vector>

namespace carme {
namespace {

// Properties of characters of the Unicode Character Database 14.0. Made with
// Perl's \p{…}.
struct CharacterRange {
  uint32_t first;
  uint32_t last;
};

// Canonical_Combining_Class=Virama.
constexpr CharacterRange kViramas[] = {
    {0x094d, 0x094d},   {0x09cd, 0x09cd},   {0x0a4d, 0x0a4d},
    {0x0acd, 0x0acd},   {0x0b4d, 0x0b4d},   {0x0bcd, 0x0bcd},
    {0x0c4d, 0x0c4d},   {0x0ccd, 0x0ccd},   {0x0d3b, 0x0d3c},
    {0x0d4d, 0x0d4d},   {0x0dca, 0x0dca},   {0x0e3a, 0x0e3a},
    {0x0eba, 0x0eba},   {0x0f84, 0x0f84},   {0x1039, 0x103a},
    {0x1714, 0x1715},   {0x1734, 0x1734},   {0x17d2, 0x17d2},
    {0x1a60, 0x1a60},   {0x1b44, 0x1b44},   {0x1baa, 0x1bab},
    {0x1bf2, 0x1bf3},   {0x2d7f, 0x2d7f},   {0xa806, 0xa806},
    {0xa82c, 0xa82c},   {0xa8c4, 0xa8c4},   {0xa953, 0xa953},
    {0xa9c0, 0xa9c0},   {0xaaf6, 0xaaf6},   {0xabed, 0xabed},
    {0x10a3f, 0x10a3f}, {0x11046, 0x11046}, {0x11070, 0x11070},
    {0x1107f, 0x1107f}, {0x110b9, 0x110b9}, {0x11133, 0x11134},
    {0x111c0, 0x111c0}, {0x11235, 0x11235}, {0x112ea, 0x112ea},
    {0x1134d, 0x1134d}, {0x11442, 0x11442}, {0x114c2, 0x114c2},
    {0x115bf, 0x115bf}, {0x1163f, 0x1163f}, {0x116b6, 0x116b6},
    {0x1172b, 0x1172b}, {0x11839, 0x11839}, {0x1193d, 0x1193e},
    {0x119e0, 0x119e0}, {0x11a34, 0x11a34}, {0x11a47, 0x11a47},
    {0x11a99, 0x11a99}, {0x11c3f, 0x11c3f}, {0x11d44, 0x11d45},
    {0x11d97, 0x11d97}};

// Joining_Type=Left_Joining or Dual_Joining: joins what follows.
constexpr CharacterRange kJoinsForward[] = {
    {0x0620, 0x0620},   {0x0626, 0x0626},   {0x0628, 0x0628},
    {0x062a, 0x062e},   {0x0633, 0x063f},   {0x0641, 0x0647},
    {0x0649, 0x064a},   {0x066e, 0x066f},   {0x0678, 0x0687},
    {0x069a, 0x06bf},   {0x06c1, 0x06c2},   {0x06cc, 0x06cc},
    {0x06ce, 0x06ce},   {0x06d0, 0x06d1},   {0x06fa, 0x06fc},
    {0x06ff, 0x06ff},   {0x0712, 0x0714},   {0x071a, 0x071d},
    {0x071f, 0x0727},   {0x0729, 0x0729},   {0x072b, 0x072b},
    {0x072d, 0x072e},   {0x074e, 0x0758},   {0x075c, 0x076a},
    {0x076d, 0x0770},   {0x0772, 0x0772},   {0x0775, 0x0777},
    {0x077a, 0x077f},   {0x07ca, 0x07ea},   {0x0841, 0x0845},
    {0x0848, 0x0848},   {0x084a, 0x0853},   {0x0855, 0x0855},
    {0x0860, 0x0860},   {0x0862, 0x0865},   {0x0868, 0x0868},
    {0x0886, 0x0886},   {0x0889, 0x088d},   {0x08a0, 0x08a9},
    {0x08af, 0x08b0},   {0x08b3, 0x08b8},   {0x08ba, 0x08c8},
    {0x1807, 0x1807},   {0x1820, 0x1878},   {0x1887, 0x18a8},
    {0x18aa, 0x18aa},   {0xa840, 0xa872},   {0x10ac0, 0x10ac4},
    {0x10acd, 0x10acd}, {0x10ad3, 0x10adc}, {0x10ade, 0x10ae0},
    {0x10aeb, 0x10aee}, {0x10b80, 0x10b80}, {0x10b82, 0x10b82},
    {0x10b86, 0x10b88}, {0x10b8a, 0x10b8b}, {0x10b8d, 0x10b8d},
    {0x10b90, 0x10b90}, {0x10bad, 0x10bae}, {0x10d00, 0x10d21},
    {0x10d23, 0x10d23}, {0x10f30, 0x10f32}, {0x10f34, 0x10f44},
    {0x10f51, 0x10f53}, {0x10f70, 0x10f73}, {0x10f76, 0x10f81},
    {0x10fb0, 0x10fb0}, {0x10fb2, 0x10fb3}, {0x10fb8, 0x10fb8},
    {0x10fbb, 0x10fbc}, {0x10fbe, 0x10fbf}, {0x10fc1, 0x10fc1},
    {0x10fc4, 0x10fc4}, {0x10fca, 0x10fcb}, {0x1e900, 0x1e943}};

// Joining_Type=Right_Joining or Dual_Joining: joins the previous character.
constexpr CharacterRange kJoinsBackward[] = {
    {0x0620, 0x0620},   {0x0622, 0x063f},   {0x0641, 0x064a},
    {0x066e, 0x066f},   {0x0671, 0x0673},   {0x0675, 0x06d3},
    {0x06d5, 0x06d5},   {0x06ee, 0x06ef},   {0x06fa, 0x06fc},
    {0x06ff, 0x06ff},   {0x0710, 0x0710},   {0x0712, 0x072f},
    {0x074d, 0x077f},   {0x07ca, 0x07ea},   {0x0840, 0x0858},
    {0x0860, 0x0860},   {0x0862, 0x0865},   {0x0867, 0x086a},
    {0x0870, 0x0882},   {0x0886, 0x0886},   {0x0889, 0x088e},
    {0x08a0, 0x08ac},   {0x08ae, 0x08c8},   {0x1807, 0x1807},
    {0x1820, 0x1878},   {0x1887, 0x18a8},   {0x18aa, 0x18aa},
    {0xa840, 0xa871},   {0x10ac0, 0x10ac5}, {0x10ac7, 0x10ac7},
    {0x10ac9, 0x10aca}, {0x10ace, 0x10ad6}, {0x10ad8, 0x10ae1},
    {0x10ae4, 0x10ae4}, {0x10aeb, 0x10aef}, {0x10b80, 0x10b91},
    {0x10ba9, 0x10bae}, {0x10d01, 0x10d23}, {0x10f30, 0x10f44},
    {0x10f51, 0x10f54}, {0x10f70, 0x10f81}, {0x10fb0, 0x10fb0},
    {0x10fb2, 0x10fb6}, {0x10fb8, 0x10fbf}, {0x10fc1, 0x10fc4},
    {0x10fc9, 0x10fca}, {0x1e900, 0x1e943}};

// Joining_Type=Transparent, of the Arabic and Syriac blocks.
constexpr CharacterRange kTransparent[] = {
    {0x0610, 0x061a}, {0x061c, 0x061c}, {0x064b, 0x065f}, {0x0670, 0x0670},
    {0x06d6, 0x06dc}, {0x06df, 0x06e4}, {0x06e7, 0x06e8}, {0x06ea, 0x06ed},
    {0x070f, 0x070f}, {0x0711, 0x0711}, {0x0730, 0x074a}, {0x07a6, 0x07b0},
    {0x07eb, 0x07f3}, {0x07fd, 0x07fd}, {0x0816, 0x0819}, {0x081b, 0x0823},
    {0x0825, 0x0827}, {0x0829, 0x082d}, {0x0859, 0x085b}, {0x0898, 0x089f},
    {0x08ca, 0x08e1}, {0x08e3, 0x08ff}};

// Extended_Pictographic.
constexpr CharacterRange kPictographs[] = {
    {0x00a9, 0x00a9},   {0x00ae, 0x00ae},   {0x203c, 0x203c},
    {0x2049, 0x2049},   {0x2122, 0x2122},   {0x2139, 0x2139},
    {0x2194, 0x2199},   {0x21a9, 0x21aa},   {0x231a, 0x231b},
    {0x2328, 0x2328},   {0x2388, 0x2388},   {0x23cf, 0x23cf},
    {0x23e9, 0x23f3},   {0x23f8, 0x23fa},   {0x24c2, 0x24c2},
    {0x25aa, 0x25ab},   {0x25b6, 0x25b6},   {0x25c0, 0x25c0},
    {0x25fb, 0x25fe},   {0x2600, 0x2605},   {0x2607, 0x2612},
    {0x2614, 0x2685},   {0x2690, 0x2705},   {0x2708, 0x2712},
    {0x2714, 0x2714},   {0x2716, 0x2716},   {0x271d, 0x271d},
    {0x2721, 0x2721},   {0x2728, 0x2728},   {0x2733, 0x2734},
    {0x2744, 0x2744},   {0x2747, 0x2747},   {0x274c, 0x274c},
    {0x274e, 0x274e},   {0x2753, 0x2755},   {0x2757, 0x2757},
    {0x2763, 0x2767},   {0x2795, 0x2797},   {0x27a1, 0x27a1},
    {0x27b0, 0x27b0},   {0x27bf, 0x27bf},   {0x2934, 0x2935},
    {0x2b05, 0x2b07},   {0x2b1b, 0x2b1c},   {0x2b50, 0x2b50},
    {0x2b55, 0x2b55},   {0x3030, 0x3030},   {0x303d, 0x303d},
    {0x3297, 0x3297},   {0x3299, 0x3299},   {0x1f000, 0x1f0ff},
    {0x1f10d, 0x1f10f}, {0x1f12f, 0x1f12f}, {0x1f16c, 0x1f171},
    {0x1f17e, 0x1f17f}, {0x1f18e, 0x1f18e}, {0x1f191, 0x1f19a},
    {0x1f1ad, 0x1f1e5}, {0x1f201, 0x1f20f}, {0x1f21a, 0x1f21a},
    {0x1f22f, 0x1f22f}, {0x1f232, 0x1f23a}, {0x1f23c, 0x1f23f},
    {0x1f249, 0x1f3fa}, {0x1f400, 0x1f53d}, {0x1f546, 0x1f64f},
    {0x1f680, 0x1f6ff}, {0x1f774, 0x1f77f}, {0x1f7d5, 0x1f7ff},
    {0x1f80c, 0x1f80f}, {0x1f848, 0x1f84f}, {0x1f85a, 0x1f85f},
    {0x1f888, 0x1f88f}, {0x1f8ae, 0x1f8ff}, {0x1f90c, 0x1f93a},
    {0x1f93c, 0x1f945}, {0x1f947, 0x1faff}, {0x1fc00, 0x1fffd}};

// Default_Ignorable_Code_Point: characters that are not seen.
constexpr CharacterRange kIgnorable[] = {
    {0x00ad, 0x00ad},  {0x034f, 0x034f}, {0x061c, 0x061c},   {0x115f, 0x1160},
    {0x17b4, 0x17b5},  {0x180b, 0x180f}, {0x200b, 0x200f},   {0x202a, 0x202e},
    {0x2060, 0x206f},  {0x3164, 0x3164}, {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},
    {0xffa0, 0xffa0},  {0xfff0, 0xfff8}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
    {0xe0000, 0xe0fff}};

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
