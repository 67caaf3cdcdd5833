// The sections of backend.toml about its two ports, and about how proxies and
// agents meet: [listen], [tls], [agents].
#ifndef CARME_BACKEND_RPC_SERVER_TLS_CONFIG_H_
#define CARME_BACKEND_RPC_SERVER_TLS_CONFIG_H_

#include <string>
#include <vector>

#include "absl/time/time.h"
#include "common/config/config.h"

namespace carme::backend {

// deploy/config/backend.toml explains each key.
struct TlsConfig {
  std::string clients;      // address:port for frontend and proxy
  std::string agents;       // address:port for the agents on the nodes
  std::string certificate;  // PEM, the backend's, with its chain
  std::string key;          // PEM, mode 0640 or stricter
  std::string client_ca;    // PEM, who issues the clients' certificates
  // PEM, whose certificates are taken back: carmectl pki's crl.pem. Empty: none.
  std::string client_crl{};
  int expiry_warn_days = 21;
  // The one URI in a client's certificate is carme://frontend/<frontend_name>
  // or carme://proxy/<proxy_name>.
  std::string frontend_name = "dmz";
  std::string proxy_name = "dmz";
  // address:port of each proxy for agents to connect to. Empty: proxies connect
  // to them.
  std::vector<std::string> dial{};
  // Of the agents' port: in all, and of one node.
  int max_agent_connections = 32'000;
  int max_agent_connections_per_address = 512;
  // How long a new connection may take for its handshake, and one may be open
  // without a call.
  absl::Duration agent_handshake_timeout = absl::Seconds(10);
  absl::Duration agent_idle_timeout = absl::Minutes(1);
};

// What is wrong with the sections is reported by Finish().
void ReadTlsConfig(ConfigTable root, TlsConfig* config);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_SERVER_TLS_CONFIG_H_
