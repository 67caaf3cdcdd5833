// What a browser takes for one site: cookies and their deletion reach as far.
#ifndef CARME_PROXY_CONFIG_REGISTRABLE_DOMAIN_H_
#define CARME_PROXY_CONFIG_REGISTRABLE_DOMAIN_H_

#include <string>

#include "proxy/http/virtual_hosts.h"

namespace carme::proxy {

// "example.org" of "carme.example.org", by the public suffix list of libpsl.
// `host` itself where it is a public suffix or has no suffix.
std::string RegistrableDomain(const std::string& host);

// Empty where the jobs lie under a registrable domain of their own. Else a
// warning for administrators: a page of a job can then set cookies that reach
// the portal.
std::string SharedDomainWarning(const VirtualHosts& hosts);

}  // namespace carme::proxy

#endif  // CARME_PROXY_CONFIG_REGISTRABLE_DOMAIN_H_
