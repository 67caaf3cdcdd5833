// Which host name means what.
#ifndef CARME_PROXY_SITE_H_
#define CARME_PROXY_SITE_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/ids.h"

namespace carme::proxy {

enum class HostKind { kPortal, kJob, kUnknown };

// The host of an app in a job, by its first label: "<job>" for the job's own
// app, "<job>-<app>" for another. Each is an origin of its own.
struct JobHost {
  JobId job;
  std::string label;  // in lower case
  friend bool operator==(const JobHost&, const JobHost&) = default;
};

struct HostMeaning {
  HostKind kind = HostKind::kUnknown;
  JobHost host;  // of kJob
};

// Immutable; thread-safe.
class Site {
 public:
  // Both as they stand in a browser's address bar: "portal.example.org" or
  // "carme.localhost:8443". INVALID_ARGUMENT: not a host, upper case, a jobs
  // domain on which the portal itself would be a job.
  static absl::StatusOr<Site> Create(std::string_view portal_host,
                                     std::string_view jobs_domain);

  // Of a Host field. Case does not matter, port 443 is no port.
  HostMeaning Meaning(std::string_view host) const;
  // "https://" and the host as above.
  std::string PortalUrl() const { return "https://" + portal_ + "/"; }
  std::string JobOrigin(const JobHost& host) const {
    return "https://" + host.label + "." + jobs_;
  }
  // Of a Host field of plain HTTP, whatever its port: the origin by https.
  // Empty: not a host of ours.
  std::string HttpsOrigin(std::string_view host) const;

 private:
  Site(std::string portal, std::string jobs)
      : portal_(std::move(portal)), jobs_(std::move(jobs)) {}

  std::string portal_;
  std::string jobs_;
};

// `host` without its port.
std::string_view WithoutPort(std::string_view host);

}  // namespace carme::proxy

#endif  // CARME_PROXY_SITE_H_
