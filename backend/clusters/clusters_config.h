// The sections [cluster] and [identity] of backend.toml.
#ifndef CARME_BACKEND_CLUSTERS_CLUSTERS_CONFIG_H_
#define CARME_BACKEND_CLUSTERS_CLUSTERS_CONFIG_H_

#include <optional>
#include <string>
#include <vector>

#include "common/config/config.h"
#include "common/pki/tls_files.h"

namespace carme::backend {

// A cluster whose users this backend authenticates.
struct FurtherCluster {
  std::string name;
  std::string certificate_name;  // carme://cluster/<certificate_name>
};

// The identity backend of this backend.
struct IdentityBackend {
  std::string address;      // host:port
  std::string server_name;  // in its certificate
  TlsFilePaths tls;         // of the connection to it
  std::string issuer_key;   // 32 raw bytes; verifies assertions
};

// deploy/config/backend.toml explains each key.
struct ClustersConfig {
  std::string name;  // empty: the portal has one cluster, without a name
  std::vector<FurtherCluster> further;
  // Absent: this backend authenticates users itself.
  std::optional<IdentityBackend> identity_backend;
};

// Finish() reports invalid values.
void ReadClustersConfig(ConfigTable root, ClustersConfig* config);

}  // namespace carme::backend

#endif  // CARME_BACKEND_CLUSTERS_CLUSTERS_CONFIG_H_
