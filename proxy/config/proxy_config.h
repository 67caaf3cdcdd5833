// The values of proxy.toml. deploy/config/proxy.toml documents each key.
#ifndef CARME_PROXY_CONFIG_PROXY_CONFIG_H_
#define CARME_PROXY_CONFIG_PROXY_CONFIG_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "proxy/http/virtual_hosts.h"

namespace carme::proxy {

struct ProxyLimits {
  // Open connections of all clients; further ones are closed.
  int max_connections = 20000;
  // Open connections from one IPv4 address or one IPv6 /64.
  int max_connections_per_address = 512;
  // Open connections to jobs with one session; requests on further ones get
  // 429.
  int max_connections_per_session = 256;
  int max_head_bytes = 32 * 1024;    // of a request (else 431) or a response
  int max_header_fields = 100;       // of one head
  int max_concurrent_streams = 100;  // of one HTTP/2 connection
  int64_t max_body_mib = 16 * 1024;  // of a request; else 413
  // Average rate of a request's body after body_timeout; else 408.
  int min_body_bytes_per_s = 64;
  // Concurrent requests to the portal from one address (IPv4, or IPv6 /64) and
  // with one session or access token; else 429.
  int max_portal_requests_per_address = 64;
  int max_portal_requests_per_session = 32;
  // The same for streaming responses, which do not count as requests.
  int max_portal_streams_per_address = 256;
  int max_portal_streams_per_session = 16;
  // Buffered requests to and responses of the portal, of all clients. Beyond
  // it, new request bodies get 503, and responses are read from the frontend no
  // faster than the clients read them.
  int max_portal_buffer_mib = 256;
  // For the body of a request to the portal to arrive, and for a client to read
  // each 48 KiB (HTTP/2: 16 KiB) of a buffered response.
  absl::Duration portal_client_timeout = absl::Seconds(20);
  // POST requests to login_paths from one address (as above); else 429.
  int logins_per_s = 5;
  int login_burst = 50;  // requests at once
  // Agents that are not authenticated yet, on each loop, before and within the
  // TLS handshake each, and of these from one address. Beyond it, the oldest is
  // closed.
  int max_unauthenticated_agents = 128;
  int max_unauthenticated_agents_per_address = 64;
  // Authenticated agents from one address, on all loops; further ones are
  // closed. A job may have two.
  int max_agents_per_address = 512;
  // TLS handshakes with agents from one address; further ones are closed.
  int agent_handshakes_per_s = 100;
  int agent_handshake_burst = 500;  // handshakes at once
  // For a PROXY header, and for the TLS handshake.
  absl::Duration handshake_timeout = absl::Seconds(10);
  // From the first byte of a connection or request to the end of its head.
  absl::Duration request_header_timeout = absl::Seconds(15);
  // Between two requests on one connection.
  absl::Duration keep_alive_timeout = absl::Seconds(75);
  // Without a byte within a body, in either direction, and from the end of a
  // request to the head of its response.
  absl::Duration body_timeout = absl::Minutes(5);
  // Without a byte on a websocket, in either direction.
  absl::Duration websocket_timeout = absl::Hours(1);
  // To connect to the frontend or an agent, TLS included.
  absl::Duration connect_timeout = absl::Seconds(5);
  // How long an idle connection to an agent is kept.
  absl::Duration agent_idle_timeout = absl::Seconds(60);
  // For open requests after SIGTERM; websockets get a quarter of it.
  absl::Duration drain_timeout = absl::Seconds(10);
  // For open requests and websockets in the old process after a hot restart.
  absl::Duration restart_drain_timeout = absl::Hours(12);
  // After this time without a response from its host, the connection of a
  // client or agent is closed.
  absl::Duration tcp_keepalive_timeout = absl::Seconds(120);
  // How long a route is used that the backend no longer lists without having
  // reported the job's end.
  absl::Duration stale_route_ttl = absl::Hours(24);
  // Resident memory at which new connections are rejected. 0: 80 % of the
  // available memory.
  int max_memory_mib = 0;
};

// Paths of PEM files, and of one in DER.
struct PublicCertificate {
  std::string certificate;  // with its chain
  std::string key;
  std::string ocsp_response{};  // empty: not stapled
};

// Load balancers in front of the proxy, which may name the client's address.
struct LoadBalancers {
  std::vector<std::string> networks;  // "10.0.0.0/8"; empty: none
  bool proxy_protocol = false;        // connections begin with a PROXY header
  bool forwarded = false;  // requests carry a Forwarded field (RFC 7239)
};

struct ProxyConfig {
  std::string listen = "0.0.0.0:443";  // ignored when a socket is passed
  std::string redirect_listen;         // plain HTTP; empty: none
  std::string metrics_listen;          // for Prometheus; empty: none
  std::string agents_listen;           // for reverse tunnels; empty: none
  std::string access_log;              // a file; empty: none
  int loops = 0;                       // event loops; 0: one per core
  bool http2 = true;                   // offered to browsers
  bool app_overlay = true;             // added to the documents of apps
  std::string portal_host;             // as in the browser's address bar
  // One of these two. Jobs are <job>.<jobs_domain>, or <jobs_host>/<job>/.
  std::string jobs_domain;
  std::string jobs_host;
  std::string state_directory;  // holds the cookie key and other state
  std::string certificate;      // PEM, with its chain
  std::string key;              // PEM
  std::string ocsp_response;    // DER; empty: not stapled
  // For clients that request a name for which the first one is not valid.
  std::vector<PublicCertificate> more_certificates;
  int expiry_warn_days = 21;
  // max-age of Strict-Transport-Security; 0: the field is not sent.
  int hsts_max_age_s = 31536000;
  // Paths of the portal whose POST requests count for logins_per_s.
  std::vector<std::string> login_paths = {
      "/carme.v1.AuthService/Login", "/carme.v1.AuthService/VerifyFactor",
      "/carme.v1.AuthService/StartReauthentication",
      "/carme.v1.AuthService/FinishReauthentication",
      "/carme.v1.AccountService/ChangePassword"};
  LoadBalancers load_balancers;
  std::string frontend_address = "127.0.0.1:8080";
  struct {
    std::string address;  // host:port
    std::string server_name = "carme-backend";
    std::string ca;           // PEM
    std::string certificate;  // PEM; for backend and agents
    std::string key;          // PEM
    std::string crl;          // PEM; empty: no revocation list
  } backend;
  ProxyLimits limits;

  // NOT_FOUND; INVALID_ARGUMENT with all errors, one per line.
  static absl::StatusOr<ProxyConfig> Load(const std::string& path);
  // INVALID_ARGUMENT: the host names conflict.
  absl::StatusOr<VirtualHosts> MakeVirtualHosts() const;
  // Warnings about valid but not recommended settings, one sentence each. Call
  // Load() first.
  std::vector<std::string> Warnings() const;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_CONFIG_PROXY_CONFIG_H_
