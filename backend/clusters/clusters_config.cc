#include "backend/clusters/clusters_config.h"

#include <set>
#include <utility>

#include "backend/clusters/messages.h"
#include "common/encoding.h"
#include "common/message.h"
#include "common/name_rules.h"
#include "common/pki/machine_identity.h"

namespace carme::backend {
namespace {

constexpr size_t kKeyBytes = 32;

void CheckName(ConfigTable table, const std::string& name,
               std::set<std::string>* names) {
  if (name.empty()) return;  // an error of its own if it is required
  if (!kSlurmNameRule.Allows(name)) {
    table.Refuse(
        "name", FormatMessage(cluster_messages::kConfigName, {{"name", name}}));
  }
  if (!names->insert(name).second) {
    table.Refuse("name", FormatMessage(cluster_messages::kConfigNameRepeated,
                                       {{"name", name}}));
  }
}

FurtherCluster ReadFurtherCluster(ConfigTable table,
                                  std::set<std::string>* names) {
  FurtherCluster cluster;
  table.Read("name", &cluster.name, Required());
  CheckName(table, cluster.name, names);
  cluster.certificate_name = cluster.name;
  table.Read("certificate_name", &cluster.certificate_name);
  if (!cluster.name.empty() && !IsMachineName(cluster.certificate_name)) {
    table.Refuse("certificate_name",
                 FormatMessage(cluster_messages::kConfigCertificateName,
                               {{"name", cluster.certificate_name}}));
  }
  return cluster;
}

IdentityBackend ReadIdentityBackend(ConfigTable table) {
  IdentityBackend backend;
  table.Read("address", &backend.address, Required());
  table.Read("server_name", &backend.server_name, Required());
  table.Read("ca", &backend.tls.ca, Required());
  table.Read("crl", &backend.tls.crl);
  table.Read("certificate", &backend.tls.certificate, Required());
  table.Read("key", &backend.tls.key, Required());
  std::string key;
  table.Read("issuer_key", &key, Required());
  backend.issuer_key = Base64UrlDecode(key).value_or("");
  if (!key.empty() && backend.issuer_key.size() != kKeyBytes) {
    table.Refuse("issuer_key",
                 FormatMessage(cluster_messages::kConfigIssuerKey));
  }
  return backend;
}

}  // namespace

void ReadClustersConfig(ConfigTable root, ClustersConfig* config) {
  ConfigTable cluster = root.Table("cluster");
  cluster.Read("name", &config->name);
  std::set<std::string> names;
  CheckName(cluster, config->name, &names);

  ConfigTable identity = root.Table("identity");
  for (const ConfigTable& table : identity.Tables("clusters")) {
    config->further.push_back(ReadFurtherCluster(table, &names));
  }
  const std::vector<std::string> keys = identity.Keys();
  const bool is_further = keys.size() > (config->further.empty() ? 0U : 1U);
  if (is_further) config->identity_backend = ReadIdentityBackend(identity);
  if (is_further && !config->further.empty()) {
    identity.Refuse("clusters", FormatMessage(cluster_messages::kConfigBoth));
  }
  if ((is_further || !config->further.empty()) && config->name.empty()) {
    cluster.Refuse("name",
                   FormatMessage(cluster_messages::kConfigNameRequired));
  }
}

}  // namespace carme::backend
