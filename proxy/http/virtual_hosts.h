// Maps host names, and with path-based routing paths, to the portal and jobs.
#ifndef CARME_PROXY_HTTP_VIRTUAL_HOSTS_H_
#define CARME_PROXY_HTTP_VIRTUAL_HOSTS_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "common/ids.h"

namespace carme::proxy {

enum class HostKind {
  kPortal,
  kJob,
  kNoJob,  // the host of all jobs, with a path of no job
  kUnknown,
};

// Identifies an app in a job by a label: "<job>" for the job's main app,
// "<job>-<app>" for another one. The label is the first label of the host name,
// so each app has its own origin; with path-based routing it is the first
// segment of the path.
struct JobHost {
  JobId job;
  std::string label;  // in lower case
  friend bool operator==(const JobHost&, const JobHost&) = default;
};

struct HostMatch {
  HostKind kind = HostKind::kUnknown;
  JobHost host;  // of kJob
};

// Immutable; thread-safe.
class VirtualHosts {
 public:
  // Both as in a browser's address bar: "portal.example.org" or
  // "carme.localhost:8443". INVALID_ARGUMENT: an invalid host, upper case, or a
  // jobs domain below which the portal itself would be a job.
  static absl::StatusOr<VirtualHosts> Create(std::string_view portal_host,
                                             std::string_view jobs_domain);
  // Path-based routing, without wildcard DNS: all jobs are on one host, each
  // below "/<label>/". INVALID_ARGUMENT as above, and for the portal's own host
  // with any port, because cookies ignore ports.
  static absl::StatusOr<VirtualHosts> CreateWithPaths(
      std::string_view portal_host, std::string_view jobs_host);

  bool is_path_based() const { return by_path_; }
  // For a Host field and a target. Case of the host and port 443 are ignored.
  // Paths are compared byte for byte: the label must be in lower case and
  // followed by "/".
  HostMatch Match(std::string_view host, std::string_view target) const;
  // The prefix of an app's target: "/<label>" with path-based routing, else
  // empty.
  std::string_view PrefixOf(std::string_view target) const {
    return by_path_ ? target.substr(0, target.find('/', 1)) : "";
  }
  // As in a Host field. jobs_host() is the jobs' domain, or with path-based
  // routing their host.
  const std::string& portal_host() const { return portal_; }
  const std::string& jobs_host() const { return jobs_; }
  // Whether a Host field names the portal.
  bool IsPortal(std::string_view host) const;
  // With "https://" and a trailing slash.
  std::string PortalUrl() const { return "https://" + portal_ + "/"; }
  std::string JobOrigin(const JobHost& host) const {
    return by_path_ ? "https://" + jobs_
                    : "https://" + host.label + "." + jobs_;
  }
  // The https origin for a Host field of plain HTTP with any port. Empty: not
  // one of Carme's hosts.
  std::string HttpsOrigin(std::string_view host) const;

 private:
  VirtualHosts(std::string portal, std::string jobs, bool is_path_based)
      : portal_(std::move(portal)),
        jobs_(std::move(jobs)),
        by_path_(is_path_based) {}
  static absl::StatusOr<VirtualHosts> Make(std::string_view portal_host,
                                           const char* what,
                                           std::string_view jobs,
                                           bool is_path_based);

  std::string portal_;
  std::string jobs_;
  bool by_path_;
};

// `host` without its port.
std::string_view WithoutPort(std::string_view host);

}  // namespace carme::proxy

#endif  // CARME_PROXY_HTTP_VIRTUAL_HOSTS_H_
