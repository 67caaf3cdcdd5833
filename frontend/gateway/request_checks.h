// Checks of a request before it is processed. Pure functions; each returns the
// error, or nothing.
#ifndef CARME_FRONTEND_GATEWAY_REQUEST_CHECKS_H_
#define CARME_FRONTEND_GATEWAY_REQUEST_CHECKS_H_

#include <optional>

#include "frontend/http/http_message.h"
#include "frontend/http/portal_origin.h"

namespace carme::frontend {

// Host must name the portal, against DNS rebinding.
std::optional<HttpError> CheckHost(const PortalOrigin& portal,
                                   const HttpHeaders& headers);

// A call must come from a page of the portal, or not from a page.
//
// Browsers send Origin with every POST, so that cross-origin calls are
// detected. Programs such as curl send neither Origin nor Sec-Fetch-*; they are
// allowed without a cookie, because no page can make them send one. Requests
// with a cookie require Origin; scripts use access tokens.
std::optional<HttpError> CheckOrigin(const PortalOrigin& portal,
                                     const HttpHeaders& headers);

// X-Forwarded-For, set by the proxy, must be one literal address.
std::optional<HttpError> CheckForwardedFor(const HttpHeaders& headers);

// Returns the client's address from X-Forwarded-For, else of the connection.
// REQUIRES: CheckForwardedFor() found nothing.
std::string ClientAddress(const HttpRequest& request);

// Returns the traceparent for the backend: the received one with the request id
// as its parent id. Empty: none was received, or the id is another program's.
std::string TraceparentOf(const HttpHeaders& headers,
                          std::string_view request_id);

// Returns the proxy's request id if it is valid, else a new one.
std::string RequestIdOf(const HttpHeaders& headers);

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_GATEWAY_REQUEST_CHECKS_H_
