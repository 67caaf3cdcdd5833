// Plain HTTP, for people who type a name without https: sent to where TLS is.
#ifndef CARME_PROXY_LOCAL_REPLY_HTTPS_REDIRECT_H_
#define CARME_PROXY_LOCAL_REPLY_HTTPS_REDIRECT_H_

#include <string>

#include "proxy/http/http1_head.h"
#include "proxy/http/virtual_hosts.h"

namespace carme::proxy {

// The answer to what was scanned (one_answer.h). GET and HEAD of a host of ours
// go to the same target by https, but for those with a ticket, which was sent
// in the clear and is worth nothing; everything else is refused.
std::string HttpsRedirectResponse(const ScanResult& scan,
                                  const RequestHead& head,
                                  const VirtualHosts& hosts);

}  // namespace carme::proxy

#endif  // CARME_PROXY_LOCAL_REPLY_HTTPS_REDIRECT_H_
