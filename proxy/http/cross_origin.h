// Requests that another site made a browser send. Pure functions.
//
// A job's cookie is SameSite=Lax, but jobs are one site among themselves: the
// browser sends one job's cookie with what a page of another job asks for. So
// the proxy looks at what browsers say about a request's origin (Origin,
// https://www.w3.org/TR/fetch-metadata/).
#ifndef CARME_PROXY_HTTP_CROSS_ORIGIN_H_
#define CARME_PROXY_HTTP_CROSS_ORIGIN_H_

#include <string_view>

#include "proxy/http/http1_head.h"

namespace carme::proxy {

// Null when a request for the job with `origin` ("https://host[:port]") may
// pass; else why not, for the answer. Allowed are requests of the app's own
// pages, and links from elsewhere that a person followed. A browser without
// Fetch Metadata must send a Referer of the app's own with everything but a
// navigation. Other clients, which are no browsers, carry no foreign requests.
const char* CrossOriginRefusal(const RequestHead& head,
                               std::string_view origin);

// Whether a person will see the answer as a page.
bool IsNavigation(const RequestHead& head);

}  // namespace carme::proxy

#endif  // CARME_PROXY_HTTP_CROSS_ORIGIN_H_
