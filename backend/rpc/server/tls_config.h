// The sections [listen], [tls] and [agents] of backend.toml.
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
  std::string client_ca;    // PEM, the CA of the clients' certificates
  // PEM, the revocation list, as written by carmectl pki. Empty: none.
  std::string client_crl{};
  int expiry_warn_days = 21;
  // The one URI in a client's certificate is carme://frontend/<frontend_name>
  // or carme://proxy/<proxy_name>.
  std::string frontend_name = "dmz";
  std::string proxy_name = "dmz";
  // carme://metrics/<metrics_name>
  std::string metrics_name = "metrics";
  // address:port of each proxy that agents connect to. Empty: the proxies
  // connect to the agents.
  std::vector<std::string> dial{};
  // Limits of the agents' port: in total, and for one node.
  int max_agent_connections = 32'000;
  int max_agent_connections_per_address = 512;
  // The time limits for a TLS handshake, and for a connection without a call.
  absl::Duration agent_handshake_timeout = absl::Seconds(10);
  absl::Duration agent_idle_timeout = absl::Minutes(1);
};

// ConfigFile::Finish() reports errors in these sections.
void ReadTlsConfig(ConfigTable root, TlsConfig* config);

}  // namespace carme::backend

#endif  // CARME_BACKEND_RPC_SERVER_TLS_CONFIG_H_
