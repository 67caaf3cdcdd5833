// What a request must be before anything is done for it. Pure functions; each
// gives the refusal, or nothing.
#ifndef CARME_FRONTEND_GATEWAY_REQUEST_CHECKS_H_
#define CARME_FRONTEND_GATEWAY_REQUEST_CHECKS_H_

#include <optional>

#include "frontend/http/http_message.h"
#include "frontend/http/portal_origin.h"

namespace carme::frontend {

// The Host is the portal's: a page of another name that was pointed at our
// address (DNS rebinding) gets nothing.
std::optional<HttpError> CheckHost(const PortalOrigin& portal,
                                   const HttpHeaders& headers);

// A call comes from a page of the portal itself, or from no page at all.
//
// A browser sends Origin with every POST, so one from elsewhere is seen. A
// program such as curl sends neither Origin nor any Sec-Fetch-* field and is
// let in: it has no cookies that somebody else's page could make it use. With a
// cookie it must say Origin like a browser; scripts have access tokens.
std::optional<HttpError> CheckOrigin(const PortalOrigin& portal,
                                     const HttpHeaders& headers);

// Of our proxy's own: X-Forwarded-For is one literal address.
std::optional<HttpError> CheckForwardedFor(const HttpHeaders& headers);

// The client's address as the proxy said it, else the connection's.
// REQUIRES: CheckForwardedFor() found nothing.
std::string ClientAddress(const HttpRequest& request);

// The proxy's request id where it has the form of one, else a new one.
std::string RequestIdOf(const HttpHeaders& headers);

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_GATEWAY_REQUEST_CHECKS_H_
