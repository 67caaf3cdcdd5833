// The whole proxy but its configuration's files and signals.
#ifndef CARME_PROXY_SERVER_PROXY_SERVER_H_
#define CARME_PROXY_SERVER_PROXY_SERVER_H_

#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "common/clock.h"
#include "common/net/networks.h"
#include "common/unique_fd.h"
#include "proxy/config/proxy_config.h"
#include "proxy/control/route_table.h"
#include "proxy/server/public_tls.h"
#include "proxy/server/worker.h"
#include "proxy/telemetry/access_log.h"
#include "proxy/telemetry/metrics.h"

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

  // Plain HTTP on `listener`, which is bound and listening: people are sent to
  // https; who asks for metrics gets them. Before Start.
  absl::Status ServeRedirects(UniqueFd listener);
  absl::Status ServeMetrics(UniqueFd listener);
  // Agents that dial. Before Start.
  absl::Status ServeAgents(UniqueFd listener);

  void Start();
  void Apply(std::shared_ptr<const RouteUpdate> update);
  // Looks at the public certificates' files: new connections get what is new
  // there. Call it every few seconds.
  void RefreshCertificates();
  // The access log was rotated: goes on with a new file.
  void ReopenLog();
  // Accepts nothing more, lets what runs end for the configured time, stops.
  void Drain();
  // Another process accepts from now on: closes the listening sockets and what
  // is at rest. What runs goes on until Drain.
  void HandOver();

  // Looks whether clock changed: then each grant's end is another moment.
  void CheckClock();
  // Looks whether memory is short: then nobody new is let in. Call both a few
  // times a second.
  void UpdateOverload();

  // How jobs are used, for whoever reports it.
  ActivityAggregator& activity() { return shared_.activity; }
  int connections() const { return shared_.connections.count(); }

 private:
  ProxyServer(const ProxyConfig& config, VirtualHosts hosts,
              net::Address frontend, net::Networks balancers,
              std::unique_ptr<UsedTicketStore> used_tickets, UniqueFd listener,
              PublicTls tls, std::unique_ptr<AccessLogFile> access_log,
              const Clock& clock);
  MetricsInput Metrics() const;

  const ProxyConfig config_;
  PublicTls tls_;
  SharedState shared_;
  const absl::Time started_;
  absl::Duration clock_ahead_;                 // of the monotonic one
  std::unique_ptr<AccessLogFile> access_log_;  // null: none
  UniqueFd listener_;
  std::vector<UniqueFd> plain_listeners_;
  UniqueFd agents_listener_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::thread> threads_;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_SERVER_PROXY_SERVER_H_
