// Which host name, and at a site of paths which path, means what.
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
  kNoJob,  // the host of all jobs, and a path that is none's
  kUnknown,
};

// The host of an app in a job, by its first label: "<job>" for the job's own
// app, "<job>-<app>" for another. Each is an origin of its own, but at a site
// of paths, where the label is the path's first part.
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
  // Both as they stand in a browser's address bar: "portal.example.org" or
  // "carme.localhost:8443". INVALID_ARGUMENT: not a host, upper case, a jobs
  // domain on which the portal itself would be a job.
  static absl::StatusOr<VirtualHosts> Create(std::string_view portal_host,
                                             std::string_view jobs_domain);
  // A site of paths, without wildcard DNS: all jobs are on one host, each below
  // "/<label>/". INVALID_ARGUMENT as above; the portal's own host is never it,
  // whatever the port, because cookies know no ports.
  static absl::StatusOr<VirtualHosts> CreateWithPaths(
      std::string_view portal_host, std::string_view jobs_host);

  bool is_path_based() const { return by_path_; }
  // Of a Host field and a target. The host's case does not matter, port 443 is
  // no port. A path counts byte for byte: what is not a label, in lower case
  // and with a "/" behind it, is no job's.
  HostMatch Match(std::string_view host, std::string_view target) const;
  // What stands before the app's own path in the target of a job: "/<label>",
  // or nothing where each app has a host.
  std::string_view PrefixOf(std::string_view target) const {
    return by_path_ ? target.substr(0, target.find('/', 1)) : "";
  }
  // As in a Host field. The second is the domain of the jobs' hosts, or at a
  // site of paths their one host.
  const std::string& portal_host() const { return portal_; }
  const std::string& jobs_host() const { return jobs_; }
  // Whether a Host field names the portal.
  bool IsPortal(std::string_view host) const;
  // "https://" and the host as above.
  std::string PortalUrl() const { return "https://" + portal_ + "/"; }
  std::string JobOrigin(const JobHost& host) const {
    return by_path_ ? "https://" + jobs_
                    : "https://" + host.label + "." + jobs_;
  }
  // Of a Host field of plain HTTP, whatever its port: the origin by https.
  // Empty: not a host of ours.
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
