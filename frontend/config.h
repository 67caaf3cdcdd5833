// What frontend.toml says.
#ifndef CARME_FRONTEND_CONFIG_H_
#define CARME_FRONTEND_CONFIG_H_

#include <string>

#include "absl/status/statusor.h"
#include "frontend/http/portal_origin.h"

namespace carme::frontend {

struct FrontendConfig {
  // Where the proxy finds us, host:port with a literal address. Plain HTTP, so
  // an address other than loopback needs `allow_remote`.
  std::string listen = "127.0.0.1:8080";
  // Whether `listen` may be reachable from other machines: only inside a
  // network that proxy and frontend have to themselves.
  bool allow_remote = false;
  // The address in people's browsers: https://host[:port].
  PortalOrigin portal;
  // The built browser application, read once at the start.
  std::string web_root = "/usr/local/share/carme/web";

  struct Backend {
    std::string address;                        // host:port
    std::string server_name = "carme-backend";  // DNS name it must prove
    std::string ca;                             // PEM files
    std::string certificate;
    std::string key;
    std::string crl;  // empty: no backend's certificate was taken back
    // Days before its end from which the certificate is warned of.
    int expiry_warn_days = 21;
  } backend;

  struct Limits {
    int connections = 512;  // 16 to 4096; each one holds a thread
    // Open pages: streams at a time, at most three quarters of `connections`,
    // so that the other calls always find a thread.
    int streams = 384;
    int streams_per_session = 8;  // 1 to 64
  } limits;
};

// Every error of the file at once, each with its line.
absl::StatusOr<FrontendConfig> LoadConfig(const std::string& path);

}  // namespace carme::frontend

#endif  // CARME_FRONTEND_CONFIG_H_
