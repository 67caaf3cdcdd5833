// Which cookies the proxy forwards, in both directions. Pure functions.
#ifndef CARME_PROXY_HTTP_COOKIES_H_
#define CARME_PROXY_HTTP_COOKIES_H_

#include <string>
#include <string_view>

#include "common/http1/head.h"

namespace carme::proxy {

inline constexpr std::string_view kJobCookieName = "__Host-carme-job";
// With path-based routing. The __Host- prefix requires the path "/".
inline constexpr std::string_view kPathCookieName = "__Secure-carme-job";
inline constexpr std::string_view kPortalCookieName = "__Host-carme";

// The value of cookie `name` in all Cookie fields. Empty when it is missing or
// occurs more than once, because the right one is unknown then.
std::string_view FindCookie(const RequestHead& head, std::string_view name);

// Appends the cookies of one Cookie field that a job may see: all but Carme's.
void AppendJobCookies(std::string_view field, std::string* out);
// The same for the portal: only its session cookie.
void AppendPortalCookies(std::string_view field, std::string* out);

// Appends the portal's cookies in `list` to `out`, a cookie list.
void KeepPortalCookies(std::string_view list, std::string* out);

// Whether Cookie fields are most of the head's bytes. The head may be
// truncated.
bool IsMostlyCookies(std::string_view head);

// Whether an app may set this cookie. The cookie must have a name other than
// those of Carme's cookies, and no Domain attribute, which would set it for
// other jobs' hosts.
bool MayJobSetCookie(std::string_view set_cookie);

}  // namespace carme::proxy

#endif  // CARME_PROXY_HTTP_COOKIES_H_
