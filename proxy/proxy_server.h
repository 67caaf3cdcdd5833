// The whole proxy but its configuration's files and signals.
#ifndef CARME_PROXY_PROXY_SERVER_H_
#define CARME_PROXY_PROXY_SERVER_H_

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/clock.h"
#include "common/pki/expiry.h"
#include "common/pki/tls_files.h"
#include "common/unique_fd.h"
#include "proxy/proxy_config.h"
#include "proxy/route_table.h"
#include "proxy/worker.h"

namespace carme::proxy {

// Thread rule: one thread makes, starts and stops it; Apply: any.
class ProxyServer {
 public:
  // Reads the certificate and the cookie key; serves nothing yet. `listener`:
  // bound and listening.
  static absl::StatusOr<std::unique_ptr<ProxyServer>> Create(
      const ProxyConfig& config, UniqueFd listener, const Clock& clock);
  // Stops, if that was not done.
  ~ProxyServer();

  void Start();
  void Apply(std::shared_ptr<const RouteUpdate> update);
  // Looks at the public certificate's files: new connections get what is new
  // there. Warns of its end. Call it every few seconds.
  void KeepCertificate();
  // Accepts nothing more, lets what runs end for the configured time, stops.
  void Drain();

  int connections() const { return services_.admission.count(); }

 private:
  ProxyServer(const ProxyConfig& config, Site site, net::Address frontend,
              UniqueFd listener, TlsFiles files, const Clock& clock);

  const ProxyConfig config_;
  TlsFiles files_;
  ExpiryWarnings warnings_;
  Services services_;
  UniqueFd listener_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::thread> threads_;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_PROXY_SERVER_H_
