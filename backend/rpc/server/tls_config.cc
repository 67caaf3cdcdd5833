#include "backend/rpc/server/tls_config.h"

#include <set>
#include <utility>

#include "backend/rpc/server/messages.h"
#include "common/message.h"
#include "common/net/address.h"
#include "common/pki/machine_identity.h"

namespace carme::backend {
namespace {

// Each agent keeps a connection to each proxy.
constexpr size_t kMaxProxies = 8;

void ReadDial(ConfigTable agents, std::vector<std::string>* dial) {
  agents.Read("dial", dial);
  if (dial->size() > kMaxProxies) {
    agents.Refuse(
        "dial", FormatMessage(rpc_server_messages::kConfigTooManyProxies,
                              {{"found", dial->size()}, {"max", kMaxProxies}}));
  }
  std::set<std::string> seen;
  for (const std::string& text : *dial) {
    const auto proxy = net::Address::Parse(text);
    if (proxy.ok() && proxy->port() != 0) {
      // A job has one tunnel to a proxy; a second one would close the first.
      if (!seen.insert(proxy->ToString()).second) {
        agents.Refuse("dial",
                      FormatMessage(rpc_server_messages::kConfigProxyRepeated,
                                    {{"proxy", text}}));
      }
      continue;
    }
    agents.Refuse("dial",
                  FormatMessage(rpc_server_messages::kConfigProxyInvalid,
                                {{"proxy", text}}));
  }
}

}  // namespace

void ReadTlsConfig(ConfigTable root, TlsConfig* config) {
  ConfigTable listen = root.Table("listen");
  listen.Read("clients", &config->clients, Required());
  listen.Read("agents", &config->agents, Required());

  ConfigTable agents = root.Table("agents");
  agents.Read("max_connections", &config->max_agent_connections,
              Range(16, 1'000'000));
  agents.Read("max_connections_per_address",
              &config->max_agent_connections_per_address, Range(1, 100'000));
  agents.Read("handshake_timeout_s", &config->agent_handshake_timeout,
              Range(1, 120));
  agents.Read("idle_timeout_s", &config->agent_idle_timeout, Range(5, 86400));
  ReadDial(agents, &config->dial);

  ConfigTable tls = root.Table("tls");
  tls.Read("certificate", &config->certificate, Required());
  tls.Read("key", &config->key, Required());
  tls.Read("client_ca", &config->client_ca, Required());
  tls.Read("client_crl", &config->client_crl, {});
  tls.Read("expiry_warn_days", &config->expiry_warn_days, Range(1, 365));
  tls.Read("frontend_name", &config->frontend_name, {});
  tls.Read("proxy_name", &config->proxy_name, {});
  tls.Read("metrics_name", &config->metrics_name, {});
  for (const auto& [key, name] :
       {std::pair{"frontend_name", config->frontend_name},
        std::pair{"proxy_name", config->proxy_name},
        std::pair{"metrics_name", config->metrics_name}}) {
    if (!IsMachineName(name)) {
      tls.Refuse(key,
                 FormatMessage(rpc_server_messages::kConfigMachineNameInvalid,
                               {{"name", name}}));
    }
  }
}

}  // namespace carme::backend
