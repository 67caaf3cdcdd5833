// A header field, and the classes of field names that a recipient or a proxy
// treats differently. Pure functions.
#ifndef CARME_COMMON_HTTP1_FIELD_H_
#define CARME_COMMON_HTTP1_FIELD_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace carme {

enum class FieldId : uint8_t {
  kOther,
  // Framing and connection.
  kHost,
  kConnection,
  kContentLength,
  kTransferEncoding,
  kUpgrade,
  // Hop-by-hop (RFC 9110 section 7.6.1).
  kHopByHop,
  // Fields that only a proxy may set (Forwarded, X-Forwarded-*, X-Real-IP,
  // X-Scheme, X-Request-Id, X-Carme-*).
  kProxyOnly,
  // A name with an underscore, which CGI-like programs confuse with another
  // name.
  kUnderscored,
  kExpect,
  kTraceparent,
  kTracestate,
  kRange,  // Range, If-Range
  kCookie,
  kSetCookie,
  kOrigin,
  kAccept,
  kSecFetchSite,
  kSecFetchMode,
  kSecFetchDest,
  kSecWebSocketKey,
  kSecWebSocketVersion,
  kSecWebSocketAccept,
  // Affect more than the origin of the response.
  kAltSvc,
  kClearSiteData,
  kStrictTransportSecurity,
  // Refer to paths of the origin.
  kLocation,
  kServiceWorkerAllowed,
  // Affect a whole origin.
  kOriginWide,
};

struct Field {
  std::string_view name;
  std::string_view value;  // without surrounding white space
  FieldId id = FieldId::kOther;
  // "name: value" and CRLF when the field is formatted exactly so in the input:
  // it may be copied. Empty otherwise. Clear it when the value changes.
  std::string_view line{};
};

// ASCII, for names and tokens.
bool EqualsIgnoreCase(std::string_view a, std::string_view b);
bool StartsWithIgnoreCase(std::string_view text, std::string_view prefix);

// The number of leading token characters.
size_t TokenSize(std::string_view text);
// RFC 9110 section 5.6.2: at least one character, token characters only.
bool IsToken(std::string_view text);
// Whether there is a control character other than the tab.
bool HasControl(std::string_view text);
std::string_view TrimBlanks(std::string_view text);

// REQUIRES: IsToken(name).
FieldId FieldIdFor(std::string_view name);

}  // namespace carme

#endif  // CARME_COMMON_HTTP1_FIELD_H_
