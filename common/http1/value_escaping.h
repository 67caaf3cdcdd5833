// How carme-proxy sends header values to carme-frontend. The frontend's server
// library percent-decodes them, so the proxy escapes each '%', and decoding
// returns the original value. A probe shows whether the library decodes.
//
// Pure functions.
#ifndef CARME_COMMON_HTTP1_VALUE_ESCAPING_H_
#define CARME_COMMON_HTTP1_VALUE_ESCAPING_H_

#include <string>
#include <string_view>

namespace carme {

// The proxy sends this field with kEscapedPercent. Clients cannot: it is one of
// FieldId::kProxyOnly. The name is in lower case.
inline constexpr std::string_view kEscapeProbe = "x-carme-escape-probe";
inline constexpr std::string_view kEscapedPercent = "%25";

// Appends `value` with each '%' as kEscapedPercent.
void AppendEscaped(std::string_view value, std::string* out);
// Reverses AppendEscaped(); for a library that does not decode.
std::string Unescape(std::string_view value);

}  // namespace carme

#endif  // CARME_COMMON_HTTP1_VALUE_ESCAPING_H_
