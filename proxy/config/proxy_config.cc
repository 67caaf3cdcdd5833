#include "proxy/config/proxy_config.h"

#include <utility>

#include "common/config/config.h"
#include "common/net/address.h"
#include "common/net/networks.h"
#include "common/status.h"
#include "proxy/config/registrable_domain.h"

namespace carme::proxy {
namespace {

void ReadLimits(ConfigTable table, ProxyLimits* limits) {
  table.Read("max_connections", &limits->max_connections, Range(1, 1'000'000));
  table.Read("max_connections_per_address",
             &limits->max_connections_per_address, Range(1, 1'000'000));
  table.Read("max_connections_per_session",
             &limits->max_connections_per_session, Range(1, 1'000'000));
  table.Read("max_body_mib", &limits->max_body_mib, Range(1, 1'000'000'000));
  table.Read("min_body_bytes_per_s", &limits->min_body_bytes_per_s,
             Range(0, 1'000'000));
  table.Read("max_portal_requests_per_address",
             &limits->max_portal_requests_per_address, Range(1, 100'000));
  table.Read("max_portal_requests_per_session",
             &limits->max_portal_requests_per_session, Range(1, 100'000));
  table.Read("max_portal_streams_per_address",
             &limits->max_portal_streams_per_address, Range(1, 100'000));
  table.Read("max_portal_streams_per_session",
             &limits->max_portal_streams_per_session, Range(1, 100'000));
  table.Read("max_portal_buffer_mib", &limits->max_portal_buffer_mib,
             Range(1, 1 << 20));
  table.Read("portal_client_timeout_s", &limits->portal_client_timeout,
             Range(1, 300));
  table.Read("logins_per_s", &limits->logins_per_s, Range(1, 100'000));
  table.Read("login_burst", &limits->login_burst, Range(1, 100'000));
  table.Read("max_unauthenticated_agents", &limits->max_unauthenticated_agents,
             Range(1, 10'000));
  table.Read("max_unauthenticated_agents_per_address",
             &limits->max_unauthenticated_agents_per_address, Range(1, 10'000));
  table.Read("max_agents_per_address", &limits->max_agents_per_address,
             Range(1, 1'000'000));
  table.Read("agent_handshakes_per_s", &limits->agent_handshakes_per_s,
             Range(1, 100'000));
  table.Read("agent_handshake_burst", &limits->agent_handshake_burst,
             Range(1, 100'000));
  table.Read("handshake_timeout_s", &limits->handshake_timeout, Range(1, 300));
  table.Read("max_head_bytes", &limits->max_head_bytes, Range(1024, 32768));
  table.Read("max_header_fields", &limits->max_header_fields, Range(10, 1000));
  table.Read("max_concurrent_streams", &limits->max_concurrent_streams,
             Range(1, 1000));
  table.Read("request_header_timeout_s", &limits->request_header_timeout,
             Range(1, 300));
  table.Read("keep_alive_timeout_s", &limits->keep_alive_timeout,
             Range(1, 3600));
  table.Read("body_timeout_s", &limits->body_timeout, Range(1, 86400));
  table.Read("websocket_timeout_s", &limits->websocket_timeout,
             Range(1, 604800));
  table.Read("connect_timeout_s", &limits->connect_timeout, Range(1, 60));
  table.Read("agent_idle_timeout_s", &limits->agent_idle_timeout,
             Range(1, 3600));
  table.Read("drain_timeout_s", &limits->drain_timeout, Range(1, 600));
  table.Read("restart_drain_timeout_s", &limits->restart_drain_timeout,
             Range(1, 604800));
  table.Read("tcp_keepalive_timeout_s", &limits->tcp_keepalive_timeout,
             Range(1, 86400));
  table.Read("stale_route_ttl_s", &limits->stale_route_ttl, Range(1, 2592000));
  table.Read("max_memory_mib", &limits->max_memory_mib, Range(0, 1 << 24));
}

void ReadCertificates(ConfigTable root, ProxyConfig* config) {
  root.Read("certificate", &config->certificate, Required());
  root.Read("key", &config->key, Required());
  root.Read("ocsp_response", &config->ocsp_response);
  for (ConfigTable table : root.Tables("certificates")) {
    PublicCertificate more;
    table.Read("certificate", &more.certificate, Required());
    table.Read("key", &more.key, Required());
    table.Read("ocsp_response", &more.ocsp_response);
    config->more_certificates.push_back(std::move(more));
  }
  root.Read("expiry_warn_days", &config->expiry_warn_days, Range(1, 365));
}

void ReadLoadBalancers(ConfigTable table, LoadBalancers* balancers) {
  table.Read("networks", &balancers->networks);
  table.Read("proxy_protocol", &balancers->proxy_protocol);
  table.Read("forwarded", &balancers->forwarded);
  if (auto networks = net::Networks::Parse(balancers->networks);
      !networks.ok()) {
    table.Refuse("networks", std::string(networks.status().message()));
  }
  if (balancers->networks.empty() &&
      (balancers->proxy_protocol || balancers->forwarded)) {
    table.Refuse("networks", "expected at least one load balancer");
  }
}

}  // namespace

absl::StatusOr<VirtualHosts> ProxyConfig::MakeVirtualHosts() const {
  return jobs_host.empty()
             ? VirtualHosts::Create(portal_host, jobs_domain)
             : VirtualHosts::CreateWithPaths(portal_host, jobs_host);
}

std::vector<std::string> ProxyConfig::Warnings() const {
  const absl::StatusOr<VirtualHosts> hosts = MakeVirtualHosts();
  if (!hosts.ok()) return {};
  const std::string shared = SharedDomainWarning(*hosts);
  return shared.empty() ? std::vector<std::string>{}
                        : std::vector<std::string>{shared};
}

absl::StatusOr<ProxyConfig> ProxyConfig::Load(const std::string& path) {
  ASSIGN_OR_RETURN(ConfigFile file, ConfigFile::Load(path));
  ProxyConfig config;
  ConfigTable root = file.root();
  root.Read("listen", &config.listen);
  root.Read("loops", &config.loops, Range(0, 256));
  root.Read("http2", &config.http2);
  root.Read("app_overlay", &config.app_overlay);
  root.Read("portal_host", &config.portal_host, Required());
  root.Read("jobs_host", &config.jobs_host);
  root.Read("jobs_domain", &config.jobs_domain,
            {.required = config.jobs_host.empty()});
  root.Read("state_directory", &config.state_directory, Required());
  ReadCertificates(root, &config);
  root.Read("redirect_listen", &config.redirect_listen);
  root.Read("metrics_listen", &config.metrics_listen);
  root.Read("agents_listen", &config.agents_listen);
  if (!config.agents_listen.empty() &&
      !net::Address::Parse(config.agents_listen).ok()) {
    root.Refuse("agents_listen", "expected an IP address and a port");
  }
  root.Read("access_log", &config.access_log);
  root.Read("hsts_max_age_s", &config.hsts_max_age_s, Range(0, 315360000));
  root.Read("login_paths", &config.login_paths);
  ReadLoadBalancers(root.Table("load_balancers"), &config.load_balancers);
  ConfigTable frontend = root.Table("frontend");
  frontend.Read("address", &config.frontend_address);
  ConfigTable backend = root.Table("backend");
  backend.Read("address", &config.backend.address, Required());
  backend.Read("server_name", &config.backend.server_name);
  backend.Read("ca", &config.backend.ca, Required());
  backend.Read("certificate", &config.backend.certificate, Required());
  backend.Read("key", &config.backend.key, Required());
  backend.Read("crl", &config.backend.crl);
  ReadLimits(root.Table("limits"), &config.limits);

  if (!config.jobs_domain.empty() && !config.jobs_host.empty()) {
    root.Refuse("jobs_host",
                "expected either jobs_domain or jobs_host, not both");
  } else if (!config.portal_host.empty() &&
             !(config.jobs_domain + config.jobs_host).empty()) {
    if (auto hosts = config.MakeVirtualHosts(); !hosts.ok()) {
      root.Refuse("portal_host", std::string(hosts.status().message()));
    }
  }
  if (!net::Address::Parse(config.frontend_address).ok()) {
    frontend.Refuse("address", "expected an IP address and a port");
  }
  RETURN_IF_ERROR(file.Finish());
  return config;
}

}  // namespace carme::proxy
