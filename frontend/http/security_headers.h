// The header fields that every response of the portal has.
#ifndef CARME_FRONTEND_HTTP_SECURITY_HEADERS_H_
#define CARME_FRONTEND_HTTP_SECURITY_HEADERS_H_

#include "frontend/http/http_message.h"

namespace carme::frontend {

void AddSecurityHeaders(HttpResponse* response);

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_HTTP_SECURITY_HEADERS_H_
