// Hexadecimal, base32 and base64url.
#ifndef CARME_COMMON_ENCODING_H_
#define CARME_COMMON_ENCODING_H_

#include <optional>
#include <string>
#include <string_view>

namespace carme {

std::string HexEncode(std::string_view bytes);  // lower case

// RFC 4648 section 6, upper case, without padding.
std::string Base32Encode(std::string_view bytes);
std::optional<std::string> Base32Decode(std::string_view text);

// RFC 4648 section 5, without padding. Decoding is strict: other characters,
// padding and non-zero spare bits are errors, so that each value has exactly
// one text.
std::string Base64UrlEncode(std::string_view bytes);
std::optional<std::string> Base64UrlDecode(std::string_view text);

}  // namespace carme

#endif  // CARME_COMMON_ENCODING_H_
