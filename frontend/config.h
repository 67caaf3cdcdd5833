// The configuration in frontend.toml.
#ifndef CARME_FRONTEND_CONFIG_H_
#define CARME_FRONTEND_CONFIG_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "frontend/branding.h"
#include "frontend/http/portal_origin.h"

namespace carme::frontend {

struct FrontendConfig {
  // The address for the proxy: host:port with a literal address. Plain HTTP, so
  // addresses other than loopback require `allow_remote`.
  std::string listen = "127.0.0.1:8080";
  // Allows a `listen` address that other machines reach. Only for a network
  // that nothing but proxy and frontend uses.
  bool allow_remote = false;
  std::string metrics_listen;  // for monitoring; empty: none
  // The address that users open: https://host[:port].
  PortalOrigin portal;
  // The built web application, read once at startup. LoadConfig() sets the
  // directory of the installation's prefix unless the file has one.
  std::string web_root;

  // Links of the help menu; empty: none.
  struct Help {
    std::string documentation_url;  // https://…
    std::string support_mail;       // an address
  } help;

  Branding branding;

  struct Backend {
    std::string address;                        // host:port
    std::string server_name = "carme-backend";  // DNS name it must prove
    std::string ca;                             // PEM files
    std::string certificate;
    std::string key;
    std::string crl;  // empty: no certificate of a backend is revoked
    // Days before its expiry from which a warning is logged.
    int expiry_warn_days = 21;
  } backend;

  // The cluster of `backend`, which also logs people in. Empty: the portal has
  // one cluster, without a name.
  std::string cluster;
  struct FurtherCluster {
    std::string name;
    // Its jobs are in this domain: host[:port], as in its backend.toml.
    std::string jobs_domain;
    Backend backend;  // files that it does not name are those of `backend`
  };
  std::vector<FurtherCluster> clusters;

  // carme-metrics of the first cluster; without an address there is none.
  // `expiry_warn_days` is not used.
  Backend metrics;

  struct Limits {
    int connections = 512;  // 16 to 4096; each connection uses a thread
    // Concurrent streams (open pages), at most three quarters of `connections`,
    // so that other calls always get a thread.
    int streams = 384;
    int streams_per_session = 8;  // 1 to 64
  } limits;
};

// Reports all errors of the file at once, each with its line.
absl::StatusOr<FrontendConfig> LoadConfig(const std::string& path);

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_CONFIG_H_
