// Which cookies pass the proxy, in both directions. Pure functions.
#ifndef CARME_PROXY_HTTP_COOKIES_H_
#define CARME_PROXY_HTTP_COOKIES_H_

#include <string>
#include <string_view>

#include "proxy/http/http1_head.h"

namespace carme::proxy {

inline constexpr std::string_view kJobCookieName = "__Host-carme-job";
// With path-based routing. The __Host- prefix requires the path "/".
inline constexpr std::string_view kPathCookieName = "__Secure-carme-job";
inline constexpr std::string_view kPortalCookieName = "__Host-carme";

// The value of the one cookie `name` in all Cookie fields; empty without one,
// and with several: which of them is ours nobody can tell.
std::string_view FindCookie(const RequestHead& head, std::string_view name);

// Appends the cookies of one Cookie field that may reach a job: all but
// Carme's. Appends nothing when none is left.
void AppendJobCookies(std::string_view field, std::string* out);
// The same for the portal: its own session cookie and no other.
void AppendPortalCookies(std::string_view field, std::string* out);

// Appends to `out`, a list of cookies, those of `list` that are the portal's.
void KeepPortalCookies(std::string_view list, std::string* out);

// Whether most of a head's bytes are Cookie fields. The head may be cut short.
bool IsMostlyCookies(std::string_view head);

// Whether an app in a job may set this cookie: it names none of Carme's, has a
// name, and no Domain attribute, which would plant it on other jobs' hosts.
bool MayJobSetCookie(std::string_view set_cookie);

}  // namespace carme::proxy

#endif  // CARME_PROXY_HTTP_COOKIES_H_
