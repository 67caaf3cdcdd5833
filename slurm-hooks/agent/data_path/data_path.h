// The one way in: connections from the proxy, relayed to the socket of the app
// that their grant names, which is started where it does not run.
//
// The proxy makes them, or, where the site wants it so, the agent dials to the
// proxies (dialer.h) and they are streams of that connection.
//
// Each is TLS 1.3 with the proxy's certificate, then the preamble (grant.h);
// not one byte reaches the app before both are verified, and the connection
// ends with the grant. Bounded are the connections that were let in, those that
// still have to prove themselves (of which a newcomer ends the oldest, so that
// strangers cannot keep the proxy out), and the time for the proof.
//
// Thread rule: the loop's thread.
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
  absl::Duration opening_timeout = absl::Seconds(10);
  absl::Duration connect_timeout = absl::Seconds(5);  // to the app
  size_t max_opening = 64;
  size_t max_open = 400;  // two descriptors each; 1024 is a usual limit
  // The proxies to dial to; then there is no listener.
  std::vector<net::Address> dial = {};
  // Somebody does something in an app; null: nobody asks.
  std::function<void()> on_input = {};
};

class DataPath {
 public:
  // The path of the app's socket once the app answers there.
  using AppConnector = std::function<net::Task<absl::StatusOr<std::string>>(
      const std::string& app)>;

  // `listener`, which takes connections or is -1, and `clock` must outlive
  // this.
  static absl::StatusOr<std::unique_ptr<DataPath>> Create(
      net::EventLoop& loop, int listener, net::TlsOptions tls, GrantRules rules,
      const Clock& clock, AppConnector door, DataPathOptions options = {});
  // REQUIRES: the loop has stopped; connections belong to it.
  ~DataPath() = default;

  // Lets in by `trust` from now on, and ends the connections that it would not
  // let in. INVALID_ARGUMENT: it cannot be used; the old one stays.
  absl::Status Use(const ProxyTrust& trust);

 private:
  DataPath(net::EventLoop& loop, net::TlsOptions tls, GrantRules rules,
           const Clock& clock, AppConnector door, DataPathOptions options);
  void Accept(UniqueFd fd, const net::Address& peer);
  net::Task<void> Serve(UniqueFd fd, std::string peer);
  // A stream of a connection that was dialled.
  net::Task<void> ServeStream(std::unique_ptr<net::Stream> stream);
  // Within its place among those that open.
  net::Task<absl::StatusOr<AcceptedGrant>> LetIn(net::TlsStream& proxy);
  // The preamble.
  net::Task<absl::StatusOr<AcceptedGrant>> ReadGrant(net::Stream& proxy);
  net::Task<absl::Status> RelayToApp(net::Stream& proxy,
                                     const AcceptedGrant& grant);
  net::Task<absl::StatusOr<UniqueFd>> ConnectToApp(std::string app);
  void LogRefusal(const std::string& peer, const absl::Status& why);

  net::EventLoop& loop_;
  const GrantRules rules_;
  const Clock& clock_;
  const AppConnector door_;
  const DataPathOptions options_;
  net::TlsOptions tls_options_;
  std::shared_ptr<const net::TlsContext> tls_;
  std::unique_ptr<net::Listener> listener_;
  std::list<net::TlsStream*> opening_;  // the oldest first
  std::set<net::TlsStream*> open_;      // those that were let in
  size_t streams_ = 0;                  // the same, of dialled connections
  std::vector<std::unique_ptr<ReverseTunnel>> tunnels_;
  int64_t refusal_logged_ms_ = -1;
  int64_t refusals_unlogged_ = 0;
};

}  // namespace carme::agent

#endif  // CARME_SLURM_HOOKS_AGENT_DATA_PATH_DATA_PATH_H_
