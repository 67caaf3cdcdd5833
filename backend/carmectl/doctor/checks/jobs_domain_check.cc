// DNS of the portal, and wildcard DNS of the jobs.
#include <algorithm>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "backend/carmectl/doctor/checks/messages.h"
#include "backend/carmectl/doctor/host/check.h"
#include "backend/carmectl/doctor/host/peer_connection.h"
#include "common/encoding.h"
#include "common/random.h"

namespace carme::carmectl {
namespace {

constexpr FindingKind kPortalUnresolved{
    "portal-name-unresolved", Severity::kError,
    "Browsers cannot open a portal whose name has no address."};
constexpr FindingKind kJobsUnresolved{
    "jobs-name-unresolved", Severity::kError,
    "Each job has a host name of its own; its apps cannot be opened."};
constexpr FindingKind kJobsElsewhere{
    "jobs-name-elsewhere", Severity::kWarning,
    "Jobs are served by carme-proxy, as the portal is."};

// Without the ports.
std::vector<std::string> Ips(const std::vector<net::Address>& addresses) {
  std::vector<std::string> ips;
  for (const net::Address& each : addresses) ips.push_back(each.Ip());
  return ips;
}

class JobsDomainCheck : public Check {
 public:
  CheckInfo info() const override {
    return {"jobs-domain",
            "the portal's name and any name below jobs_domain resolve to the "
            "proxy",
            {HostRole::kProxy},
            {kPortalUnresolved, kJobsUnresolved, kJobsElsewhere}};
  }

  std::vector<Finding> Run(const Host& host) const override {
    if (!host.proxy()) return {};
    const ProxySettings& proxy = *host.proxy();
    std::vector<Finding> findings;
    const auto portal = ParseHostPort(proxy.portal_host, 443);
    const auto jobs = ParseHostPort(
        proxy.jobs_host.empty() ? proxy.jobs_domain : proxy.jobs_host, 443);
    if (!portal.ok() || !jobs.ok()) return {};  // see `configuration`
    const auto portal_addresses =
        host.resolver().Resolve(portal->host, portal->port);
    if (!portal_addresses.ok()) {
      findings.push_back(
          {kPortalUnresolved, std::string(portal_addresses.status().message()),
           FormatMessage(host_check_messages::kPortalUnresolvedRemedy,
                         {{"host", portal->host}})});
    }
    // A random label: a record for single names does not match it.
    const std::string name =
        proxy.jobs_host.empty()
            ? absl::StrCat("doctor-", HexEncode(RandomBytes(6)), ".",
                           jobs->host)
            : jobs->host;
    const std::string record =
        proxy.jobs_host.empty() ? absl::StrCat("*.", jobs->host) : jobs->host;
    const auto job_addresses = host.resolver().Resolve(name, jobs->port);
    if (!job_addresses.ok()) {
      findings.push_back(
          {kJobsUnresolved, std::string(job_addresses.status().message()),
           FormatMessage(host_check_messages::kJobsUnresolvedRemedy,
                         {{"record", record}})});
    }
    if (!portal_addresses.ok() || !job_addresses.ok()) return findings;
    const std::vector<std::string> expected = Ips(*portal_addresses);
    for (const std::string& ip : Ips(*job_addresses)) {
      if (std::find(expected.begin(), expected.end(), ip) != expected.end()) {
        return findings;
      }
    }
    findings.push_back({kJobsElsewhere,
                        FormatMessage(host_check_messages::kJobsElsewhere,
                                      {{"name", name},
                                       {"address", Ips(*job_addresses).front()},
                                       {"host", portal->host},
                                       {"expected", expected.front()}}),
                        FormatMessage(host_check_messages::kJobsElsewhereRemedy,
                                      {{"record", record}})});
    return findings;
  }
};

}  // namespace

std::unique_ptr<Check> MakeJobsDomainCheck() {
  return std::make_unique<JobsDomainCheck>();
}

}  // namespace carme::carmectl
