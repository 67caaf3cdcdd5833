// The proxy without its configuration file and signals.
#ifndef CARME_PROXY_SERVER_PROXY_SERVER_H_
#define CARME_PROXY_SERVER_PROXY_SERVER_H_

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "common/clock.h"
#include "common/monitoring/monitored_program.h"
#include "common/net/networks.h"
#include "common/pki/expiry.h"
#include "common/unique_fd.h"
#include "proxy/config/proxy_config.h"
#include "proxy/control/route_table.h"
#include "proxy/server/public_tls.h"
#include "proxy/server/worker.h"
#include "proxy/telemetry/access_log.h"
#include "proxy/telemetry/metrics.h"

namespace carme::proxy {

// One thread creates, starts and stops it. Any thread may call Apply().
class ProxyServer : private MonitoredProgram {
 public:
  // Loads the certificate and the cookie key. `listener` must be bound and
  // listening.
  static absl::StatusOr<std::unique_ptr<ProxyServer>> Create(
      const ProxyConfig& config, UniqueFd listener, const Clock& clock);
  // Stops the loops if they still run.
  ~ProxyServer() override;

  // Serve plain HTTP on `listener`, which must be bound and listening:
  // redirects to https, and monitoring. Call them before Start().
  absl::Status ServeRedirects(UniqueFd listener);
  absl::Status ServeMetrics(UniqueFd listener);
  // Accepts reverse tunnels. Call it before Start().
  absl::Status ServeAgents(UniqueFd listener);

  // Redeems tickets at all proxies together. Call it before Start().
  void RedeemTicketsWith(std::unique_ptr<TicketRedeemer> redeemer);

  void Start();
  void Apply(std::shared_ptr<const RouteUpdate> update);
  // Reloads changed certificate files for new connections. Call it every few
  // seconds.
  void RefreshCertificates();
  // Opens the access log again after a rotation.
  void ReopenLog();
  // Stops accepting, waits for open requests up to the configured time, stops.
  void Drain();
  // A new process accepts from now on: closes the listening sockets and idle
  // connections. Open requests continue until Drain().
  void HandOver();

  // Notices when the clock was set, and then checks the expiry of grants. Call
  // it a few times a second, as the next method.
  void CheckClock();
  // Rejects new connections while memory is short.
  void UpdateOverload();

  // The activity of jobs, for the reporter.
  ActivityAggregator& activity() { return shared_.activity; }
  int connections() const { return shared_.connections.count(); }

 private:
  ProxyServer(const ProxyConfig& config, VirtualHosts hosts,
              net::Address frontend, net::Networks balancers,
              std::unique_ptr<UsedTicketStore> used_tickets, UniqueFd listener,
              PublicTls tls, std::unique_ptr<AccessLogFile> access_log,
              const Clock& clock);
  std::string Metrics() const override;
  absl::Status Ready() const override;
  void UpdateCertificates();

  const ProxyConfig config_;
  PublicTls tls_;
  SharedState shared_;
  const absl::Time started_;
  absl::Duration clock_ahead_;  // relative to the monotonic clock
  std::unique_ptr<AccessLogFile> access_log_;  // null: none
  UniqueFd listener_;
  std::vector<UniqueFd> plain_listeners_;
  UniqueFd agents_listener_;
  std::unique_ptr<TicketRedeemer> redeemer_;  // posts to the workers' loops
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<std::thread> threads_;
  std::atomic<bool> has_routes_ = false;
  mutable absl::Mutex certificates_mutex_;
  std::vector<CertificateHealth> certificates_
      ABSL_GUARDED_BY(certificates_mutex_);
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_SERVER_PROXY_SERVER_H_
