// proxy.toml as values. deploy/config/proxy.toml is its manual.
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
  // Open connections of all clients together; further ones are closed.
  int max_connections = 20000;
  // The same from one IPv4 address or one IPv6 /64.
  int max_connections_per_address = 512;
  // The same for one person's session at the jobs' hosts; else 429.
  int max_connections_per_session = 256;
  int max_head_bytes = 32 * 1024;  // of a request or an answer; else 431
  int max_header_fields = 100;     // in one head
  int max_concurrent_streams =
      100;  // requests at once on one HTTP/2 connection
  int64_t max_body_mib = 16 * 1024;  // of a request; else 413
  // What a request's body must bring on average, beyond body_timeout; else its
  // connection is closed.
  int min_body_bytes_per_s = 64;
  // Requests to the portal that are under way at once, from one address (IPv4,
  // or IPv6 /64) and with one session or access token; else 429.
  int max_portal_requests_per_address = 64;
  int max_portal_requests_per_session = 32;
  // The same of those whose response is a stream, which do not count as
  // requests then.
  int max_portal_streams_per_address = 256;
  int max_portal_streams_per_session = 16;
  // Buffered requests to and responses of the portal, of all clients together.
  // Beyond it new request bodies are answered 503, and responses are read from
  // the frontend no faster than their clients take them.
  int max_portal_buffer_mib = 256;
  // For a request to the portal to arrive whole, and for its client to take
  // each 48 KiB (HTTP/2: 16 KiB) of a buffered response.
  absl::Duration portal_client_timeout = absl::Seconds(20);
  // Requests to login_paths from one address, IPv6 /64 as above; else 429.
  int logins_per_s = 5;
  int login_burst = 50;  // so many at once
  // Agents that dial and have still to prove themselves, at once on each loop,
  // before the handshake and within; the oldest is closed. The same from one
  // address, then the oldest of that one.
  int max_unauthenticated_agents = 128;
  int max_unauthenticated_agents_per_address = 64;
  // Those that have, from one address, on all loops; further ones are closed. A
  // job may have two.
  int max_agents_per_address = 512;
  // Handshakes with agents that dial from one address; further ones are closed.
  int agent_handshakes_per_s = 100;
  int agent_handshake_burst = 500;  // so many at once
  // What a load balancer sends first, and the TLS handshake, each.
  absl::Duration handshake_timeout = absl::Seconds(10);
  // From the first byte of a connection or request to the end of its head.
  absl::Duration request_header_timeout = absl::Seconds(15);
  // Between two requests on one connection.
  absl::Duration keep_alive_timeout = absl::Seconds(75);
  // Without a byte in the middle of a body, either way; also from a request's
  // end to its answer's head.
  absl::Duration body_timeout = absl::Minutes(5);
  // Without a byte on a websocket, either way.
  absl::Duration websocket_timeout = absl::Hours(1);
  // To reach the frontend or an agent, TLS included.
  absl::Duration connect_timeout = absl::Seconds(5);
  // A connection to the frontend that waits for its next request; less than
  // the frontend's own timeout.
  absl::Duration frontend_idle_timeout = absl::Seconds(4);
  // The same to an agent.
  absl::Duration agent_idle_timeout = absl::Seconds(60);
  // What running requests get after SIGTERM; websockets get a quarter of it.
  absl::Duration drain_timeout = absl::Seconds(10);
  // What requests and websockets get in a process that another has taken over
  // from.
  absl::Duration restart_drain_timeout = absl::Hours(12);
  // A client or agent whose host answers nothing at all is given up.
  absl::Duration tcp_keepalive_timeout = absl::Seconds(120);
  // A route that the backend does not name any more, and whose end it has not
  // told.
  absl::Duration stale_route_ttl = absl::Hours(24);
  // Resident memory from which on nobody new is let in; 0: four fifths of what
  // there is.
  int max_memory_mib = 0;
};

// PEM files, and one in DER.
struct PublicCertificate {
  std::string certificate;  // with its chain
  std::string key;
  std::string ocsp_response{};  // empty: nothing is stapled
};

// Who stands in front of the proxy and is believed.
struct LoadBalancers {
  std::vector<std::string> networks;  // "10.0.0.0/8"; empty: nobody
  bool proxy_protocol = false;        // each connection begins with it
  bool forwarded = false;             // requests carry RFC 7239's field
};

struct ProxyConfig {
  std::string listen = "0.0.0.0:443";  // unused when a socket is handed over
  std::string redirect_listen;         // plain HTTP; empty: none
  std::string metrics_listen;          // for Prometheus; empty: none
  std::string agents_listen;           // for agents that dial; empty: none
  std::string access_log;              // a file; empty: none
  int loops = 0;                       // event loops; 0: one a core
  bool http2 = true;                   // offered to browsers
  std::string portal_host;             // as in the browser's address bar
  // One of these two. Jobs are <job>.<jobs_domain>, or on one host, below
  // /<job>/.
  std::string jobs_domain;
  std::string jobs_host;
  std::string state_directory;  // the cookie key's place
  std::string certificate;      // PEM, with its chain
  std::string key;              // PEM
  std::string ocsp_response;    // DER; empty: nothing is stapled
  // For clients that ask for a name for which the one above is not good.
  std::vector<PublicCertificate> more_certificates;
  int expiry_warn_days = 21;
  // What browsers are told to speak nothing but https for; 0: they are not.
  int hsts_max_age_s = 31536000;
  // Of the portal: what the limit on log-ins counts, when it is a POST.
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
    std::string certificate;  // PEM; shown to backend and agents
    std::string key;          // PEM
    std::string crl;  // PEM; empty: no backend's certificate was taken back
  } backend;
  ProxyLimits limits;

  // NOT_FOUND; INVALID_ARGUMENT with every error, one a line.
  static absl::StatusOr<ProxyConfig> Load(const std::string& path);
  // INVALID_ARGUMENT: the names make no sense together.
  absl::StatusOr<VirtualHosts> MakeVirtualHosts() const;
  // What is valid and yet not recommended, one sentence each. REQUIRES: Load().
  std::vector<std::string> Warnings() const;
};

}  // namespace carme::proxy

#endif  // CARME_PROXY_CONFIG_PROXY_CONFIG_H_
