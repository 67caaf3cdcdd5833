// Redirects plain HTTP to https.
#ifndef CARME_PROXY_LOCAL_REPLY_HTTPS_REDIRECT_H_
#define CARME_PROXY_LOCAL_REPLY_HTTPS_REDIRECT_H_

#include <string>

#include "common/http1/head.h"
#include "proxy/http/virtual_hosts.h"

namespace carme::proxy {

// The response to a request over plain HTTP (admin_http.h). GET and HEAD for
// Carme's hosts are redirected to the same target. Links with a ticket lead to
// the portal, because a ticket sent in the clear must not be used. Other
// methods are rejected.
std::string HttpsRedirectResponse(const ScanResult& scan,
                                  const RequestHead& head,
                                  const VirtualHosts& hosts);

}  // namespace carme::proxy

#endif  // CARME_PROXY_LOCAL_REPLY_HTTPS_REDIRECT_H_
