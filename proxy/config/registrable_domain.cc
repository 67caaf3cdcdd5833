#include "proxy/config/registrable_domain.h"

#include <libpsl.h>

namespace carme::proxy {

std::string RegistrableDomain(const std::string& host) {
  const char* domain = psl_registrable_domain(psl_builtin(), host.c_str());
  return domain == nullptr ? host : domain;
}

std::string SharedDomainWarning(const VirtualHosts& hosts) {
  const std::string portal =
      RegistrableDomain(std::string(WithoutPort(hosts.portal_host())));
  const std::string jobs_name(WithoutPort(hosts.jobs_host()));
  // The jobs' hosts are below jobs_host(), which may be a public suffix itself.
  const std::string jobs =
      RegistrableDomain(hosts.is_path_based() ? jobs_name : "job." + jobs_name);
  if (portal != jobs) return "";
  return std::string(hosts.is_path_based() ? "jobs_host" : "jobs_domain") +
         " \"" + hosts.jobs_host() + "\" and portal_host \"" +
         hosts.portal_host() + "\" share the registrable domain \"" + portal +
         "\": a page of a job can set cookies for the portal and log its user "
         "out; use another registrable domain for jobs";
}

}  // namespace carme::proxy
