#include "common/encoding.h"

#include <cstdint>

namespace carme {
namespace {

constexpr std::string_view kHex = "0123456789abcdef";
constexpr std::string_view kBase32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
constexpr std::string_view kBase64Url =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

std::string Encode(std::string_view bytes, std::string_view alphabet,
                   int bits) {
  const auto step = static_cast<size_t>(bits);
  std::string text((bytes.size() * 8 + step - 1) / step, '\0');
  char* at = text.data();
  uint32_t window = 0;
  int held = 0;
  const uint32_t mask = (1U << bits) - 1;
  for (unsigned char byte : bytes) {
    window = (window << 8) | byte;
    held += 8;
    while (held >= bits) {
      held -= bits;
      *at++ = alphabet[(window >> held) & mask];
    }
  }
  if (held > 0) *at = alphabet[(window << (bits - held)) & mask];
  return text;
}

std::optional<std::string> Decode(std::string_view text,
                                  std::string_view alphabet, int bits) {
  std::string bytes;
  uint32_t window = 0;
  int held = 0;
  for (char c : text) {
    const size_t value = alphabet.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    window = (window << bits) | static_cast<uint32_t>(value);
    held += bits;
    if (held >= 8) {
      held -= 8;
      bytes.push_back(static_cast<char>((window >> held) & 0xff));
    }
  }
  // A superfluous character, or non-zero spare bits: not canonical.
  if (held >= bits || (window & ((1U << held) - 1)) != 0) return std::nullopt;
  return bytes;
}

}  // namespace

std::string HexEncode(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() * 2);
  for (unsigned char byte : bytes) {
    text.push_back(kHex[byte >> 4]);
    text.push_back(kHex[byte & 0xf]);
  }
  return text;
}

std::string Base32Encode(std::string_view bytes) {
  return Encode(bytes, kBase32, 5);
}
std::optional<std::string> Base32Decode(std::string_view text) {
  return Decode(text, kBase32, 5);
}
std::string Base64UrlEncode(std::string_view bytes) {
  return Encode(bytes, kBase64Url, 6);
}
std::optional<std::string> Base64UrlDecode(std::string_view text) {
  return Decode(text, kBase64Url, 6);
}

}  // namespace carme
