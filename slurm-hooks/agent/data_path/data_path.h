// The only way into a job: connections from the proxy, forwarded to the socket
// of the app that their grant names. The app is started if it is not running.
//
// The proxy connects, or, if the site is configured so, the agent connects to
// the proxies (reverse_tunnel.h) and sessions are streams of that connection.
//
// Each connection uses TLS 1.3 with the proxy's certificate, followed by the
// preamble (grant.h). The app receives no byte before both are verified, and
// the connection ends when the grant expires. Limited are: accepted
// connections; unauthenticated connections (a new one closes the oldest, so
// that others cannot lock out the proxy); and the time to authenticate.
//
// Thread safety: used on the loop's thread only.
#ifndef CARME_SLURM_HOOKS_AGENT_DATA_PATH_DATA_PATH_H_
#define CARME_SLURM_HOOKS_AGENT_DATA_PATH_DATA_PATH_H_

#include <functional>
#include <list>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "common/clock.h"
#include "common/net/event_loop.h"
#include "common/net/socket.h"
#include "common/net/task.h"
#include "common/net/tls/tls_context.h"
#include "common/net/tls/tls_stream.h"
#include "slurm-hooks/agent/data_path/grant.h"
#include "slurm-hooks/agent/data_path/proxy_trust.h"
#include "slurm-hooks/agent/data_path/reverse_tunnel.h"

namespace carme::agent {

struct DataPathOptions {
  // For handshake and preamble together.
  absl::Duration unauthenticated_timeout = absl::Seconds(10);
  absl::Duration connect_timeout = absl::Seconds(5);  // to the app
  size_t max_unauthenticated = 64;
  size_t max_authenticated =
      400;  // two descriptors each; 1024 is a common limit
  // Proxies to connect to; if set, there is no listener.
  std::vector<net::Address> dial = {};
  // Called on input of a person in an app; may be null.
  std::function<void()> on_input = {};
};

class DataPath {
 public:
  // Returns the path of the app's socket once the app answers.
  using AppConnector = std::function<net::Task<absl::StatusOr<std::string>>(
      const std::string& app)>;

  // `listener`, a listening socket or -1, and `clock` must outlive this.
  static absl::StatusOr<std::unique_ptr<DataPath>> Create(
      net::EventLoop& loop, int listener, net::TlsOptions tls, GrantRules rules,
      const Clock& clock, AppConnector connect_app,
      DataPathOptions options = {});
  // The loop must have stopped; its connections use this object.
  ~DataPath() = default;

  // Accepts proxies by `trust` from now on, and closes connections that it
  // would reject. INVALID_ARGUMENT: `trust` is invalid; the old one stays.
  absl::Status Use(const ProxyTrust& trust);

 private:
  DataPath(net::EventLoop& loop, net::TlsOptions tls, GrantRules rules,
           const Clock& clock, AppConnector connect_app,
           DataPathOptions options);
  void Accept(UniqueFd fd, const net::Address& peer);
  net::Task<void> Serve(UniqueFd fd, std::string peer);
  // A stream of a reverse tunnel.
  net::Task<void> ServeStream(std::unique_ptr<net::Stream> stream);
  // While it counts as unauthenticated.
  net::Task<absl::StatusOr<AcceptedGrant>> Authenticate(net::TlsStream& proxy);
  // The preamble.
  net::Task<absl::StatusOr<AcceptedGrant>> ReadGrant(net::Stream& proxy);
  net::Task<absl::Status> RelayToApp(net::Stream& proxy,
                                     const AcceptedGrant& grant);
  net::Task<absl::StatusOr<UniqueFd>> ConnectToApp(std::string app);
  void LogRefusal(const std::string& peer, const absl::Status& error);

  net::EventLoop& loop_;
  const GrantRules rules_;
  const Clock& clock_;
  const AppConnector connect_app_;
  const DataPathOptions options_;
  net::TlsOptions tls_options_;
  std::shared_ptr<const net::TlsContext> tls_;
  std::unique_ptr<net::Listener> listener_;
  std::list<net::TlsStream*> unauthenticated_;  // oldest first
  std::set<net::TlsStream*> authenticated_;     // authenticated
  size_t streams_ = 0;  // authenticated streams of reverse tunnels
  std::vector<std::unique_ptr<ReverseTunnel>> tunnels_;
  int64_t refusal_logged_ms_ = -1;
  int64_t refusals_unlogged_ = 0;
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_DATA_PATH_DATA_PATH_H_
