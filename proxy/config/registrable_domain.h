// Registrable domains: a browser shares cookies among the hosts below one.
#ifndef CARME_PROXY_CONFIG_REGISTRABLE_DOMAIN_H_
#define CARME_PROXY_CONFIG_REGISTRABLE_DOMAIN_H_

#include <string>

#include "proxy/http/virtual_hosts.h"

namespace carme::proxy {

// "example.org" of "carme.example.org", by the public suffix list of libpsl.
// `host` itself when it is a public suffix or has none.
std::string RegistrableDomain(const std::string& host);

// A warning for administrators when portal and jobs share a registrable domain,
// because pages of a job can then set cookies for the portal. Else empty.
std::string SharedDomainWarning(const VirtualHosts& hosts);

}  // namespace carme::proxy

#endif  // CARME_PROXY_CONFIG_REGISTRABLE_DOMAIN_H_
