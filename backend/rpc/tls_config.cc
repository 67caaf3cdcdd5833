#include "backend/rpc/tls_config.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "common/pki/machine_identity.h"

namespace carme {

void ReadTlsConfig(ConfigTable root, TlsConfig* config) {
  ConfigTable listen = root.Table("listen");
  listen.Read("clients", &config->clients, Required());
  listen.Read("agents", &config->agents, Required());

  ConfigTable tls = root.Table("tls");
  tls.Read("certificate", &config->certificate, Required());
  tls.Read("key", &config->key, Required());
  tls.Read("client_ca", &config->client_ca, Required());
  tls.Read("client_crl", &config->client_crl, {});
  tls.Read("expiry_warn_days", &config->expiry_warn_days, Range(1, 365));
  tls.Read("frontend_name", &config->frontend_name, {});
  tls.Read("proxy_name", &config->proxy_name, {});
  for (const auto& [key, name] :
       {std::pair{"frontend_name", config->frontend_name},
        std::pair{"proxy_name", config->proxy_name}}) {
    if (!IsMachineName(name)) {
      tls.Refuse(key, absl::StrCat("\"", name,
                                   "\": expected 1 to 63 of a-z, 0-9, \".\" "
                                   "and \"-\""));
    }
  }
}

}  // namespace carme
