// One header field, and the names that mean something to the proxy.
#ifndef CARME_PROXY_HTTP_FIELD_H_
#define CARME_PROXY_HTTP_FIELD_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace carme::proxy {

enum class FieldId : uint8_t {
  kOther,
  // Framing and connection: never copied, written anew.
  kHost,
  kConnection,
  kContentLength,
  kTransferEncoding,
  kUpgrade,
  // About one hop only (RFC 9110 section 7.6.1): dropped.
  kHopByHop,
  // What only a proxy may say (Forwarded, X-Forwarded-*, X-Real-IP, X-Scheme,
  // X-Request-Id, X-Carme-*): dropped when a client says it.
  kProxyOnly,
  // A name with an underscore, which CGI-like programs take for another name.
  kUnderscored,
  kExpect,
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
  // An app has no business with these: they reach beyond its own origin.
  kAltSvc,
  kClearSiteData,
  kStrictTransportSecurity,
  // Say where something is, or what it is good for, on the app's origin.
  kLocation,
  kServiceWorkerAllowed,
  // Are about a whole origin.
  kOriginWide,
};

struct Field {
  std::string_view name;
  std::string_view value;  // without the white space around it
  FieldId id = FieldId::kOther;
  // "name: value" and CRLF, where it stands just so in what was read: it may be
  // copied as it is. Empty where it does not; to be emptied by whoever changes
  // the value.
  std::string_view line{};
};

// ASCII, for names and tokens.
bool EqualsIgnoreCase(std::string_view a, std::string_view b);
bool StartsWithIgnoreCase(std::string_view text, std::string_view prefix);

// How much of the text's beginning is token characters.
size_t TokenSize(std::string_view text);
// RFC 9110 section 5.6.2: one character or more, all of them token characters.
bool IsToken(std::string_view text);
// Control characters but the tab.
bool HasControl(std::string_view text);
std::string_view TrimBlanks(std::string_view text);

// REQUIRES: IsToken(name).
FieldId FieldIdFor(std::string_view name);

}  // namespace carme::proxy

#endif  // CARME_PROXY_HTTP_FIELD_H_
