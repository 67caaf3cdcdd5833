// Detects requests that another site made a browser send. Pure functions.
//
// A job's cookie is SameSite=Lax, but all jobs are one site: the browser also
// sends it with requests of another job's pages. The proxy therefore checks
// what browsers report about a request's origin (Origin,
// https://www.w3.org/TR/fetch-metadata/).
#ifndef CARME_PROXY_HTTP_CROSS_ORIGIN_H_
#define CARME_PROXY_HTTP_CROSS_ORIGIN_H_

#include <string_view>

#include "common/http1/head.h"

namespace carme::proxy {

// Null when a request for the job with `origin` ("https://host[:port]") is
// allowed; else the reason, for the response. Allowed are requests of the app's
// own pages, and links on other sites that a user followed. A browser without
// Fetch Metadata must send a Referer of the app's origin, except for
// navigations. Clients that are not browsers are allowed.
const char* CrossOriginRefusal(const RequestHead& head,
                               std::string_view origin);

// Whether the user sees the response as a page.
bool IsNavigation(const RequestHead& head);

}  // namespace carme::proxy

#endif  // CARME_PROXY_HTTP_CROSS_ORIGIN_H_
