#include "proxy/proxy_config.h"

#include "common/config.h"
#include "common/net/address.h"
#include "common/status.h"
#include "proxy/site.h"

namespace carme::proxy {
namespace {

void ReadLimits(ConfigTable table, ProxyLimits* limits) {
  table.Read("most_connections", &limits->most_connections,
             Range(1, 1'000'000));
  table.Read("most_connections_per_address",
             &limits->most_connections_per_address, Range(1, 1'000'000));
  table.Read("most_head_bytes", &limits->most_head_bytes, Range(1024, 32768));
  table.Read("most_fields", &limits->most_fields, Range(10, 1000));
  table.Read("head_timeout_s", &limits->head_timeout, Range(1, 300));
  table.Read("keep_alive_timeout_s", &limits->keep_alive_timeout,
             Range(1, 3600));
  table.Read("body_timeout_s", &limits->body_timeout, Range(1, 86400));
  table.Read("websocket_timeout_s", &limits->websocket_timeout,
             Range(1, 604800));
  table.Read("connect_timeout_s", &limits->connect_timeout, Range(1, 60));
  table.Read("frontend_idle_timeout_s", &limits->frontend_idle_timeout,
             Range(1, 300));
  table.Read("agent_idle_timeout_s", &limits->agent_idle_timeout,
             Range(1, 3600));
  table.Read("drain_timeout_s", &limits->drain_timeout, Range(1, 600));
}

}  // namespace

absl::StatusOr<ProxyConfig> ProxyConfig::Load(const std::string& path) {
  ASSIGN_OR_RETURN(ConfigFile file, ConfigFile::Load(path));
  ProxyConfig config;
  ConfigTable root = file.root();
  root.Read("listen", &config.listen);
  root.Read("loops", &config.loops, Range(0, 256));
  root.Read("portal_host", &config.portal_host, Required());
  root.Read("jobs_domain", &config.jobs_domain, Required());
  root.Read("state_directory", &config.state_directory, Required());
  root.Read("certificate", &config.certificate, Required());
  root.Read("key", &config.key, Required());
  root.Read("expiry_warn_days", &config.expiry_warn_days, Range(1, 365));
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

  if (!config.portal_host.empty() && !config.jobs_domain.empty()) {
    auto site = Site::Create(config.portal_host, config.jobs_domain);
    if (!site.ok()) {
      root.Refuse("portal_host", std::string(site.status().message()));
    }
  }
  if (!net::Address::Parse(config.frontend_address).ok()) {
    frontend.Refuse("address", "expected an IP address and a port");
  }
  RETURN_IF_ERROR(file.Finish());
  return config;
}

}  // namespace carme::proxy
