#include "backend/rpc/tls_config.h"

namespace carme {

void ReadTlsConfig(ConfigTable root, TlsConfig* config) {
  ConfigTable listen = root.Table("listen");
  listen.Read("clients", &config->clients, Required());
  listen.Read("agents", &config->agents, Required());

  ConfigTable tls = root.Table("tls");
  tls.Read("certificate", &config->certificate, Required());
  tls.Read("key", &config->key, Required());
  tls.Read("client_ca", &config->client_ca, Required());
  tls.Read("frontend_name", &config->frontend_name, {});
  tls.Read("proxy_name", &config->proxy_name, {});
  if (config->frontend_name.empty()) {
    tls.Refuse("frontend_name", "must not be empty");
  }
  if (config->proxy_name.empty()) {
    tls.Refuse("proxy_name", "must not be empty");
  }
  if (config->frontend_name == config->proxy_name) {
    tls.Refuse("proxy_name", "must differ from \"frontend_name\"");
  }
}

}  // namespace carme
