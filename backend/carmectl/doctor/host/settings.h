// The keys of the configuration files that the checks need. Unknown and invalid
// keys are ignored here: the check `configuration` has each program read its
// own file. deploy/config/*.toml documents the keys.
#ifndef CARME_BACKEND_CARMECTL_DOCTOR_HOST_SETTINGS_H_
#define CARME_BACKEND_CARMECTL_DOCTOR_HOST_SETTINGS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace carme::carmectl {

struct CertificatePaths {
  std::string certificate;
  std::string key;
};

// [backend] of proxy.toml and frontend.toml, [identity] of backend.toml.
struct BackendLink {
  std::string address;
  std::string server_name = "carme-backend";
  std::string ca;
  std::string crl;
  CertificatePaths own;
};

struct ProxySettings {
  std::string listen = "0.0.0.0:443";
  std::string agents_listen;
  std::string portal_host;
  std::string jobs_domain;
  std::string jobs_host;
  std::string state_directory = "/var/lib/carme-proxy";
  std::string access_log;
  std::vector<CertificatePaths> certificates;  // the public ones
  std::string frontend;
  BackendLink backend;
  int max_connections = 20000;
};

struct FrontendSettings {
  std::string listen = "127.0.0.1:8080";
  BackendLink backend;
};

struct BackendSettings {
  std::string listen_clients;
  std::string listen_agents;
  CertificatePaths own;
  std::string client_ca;
  std::string client_crl;
  BackendLink identity_backend;  // without an address: none
  int max_agent_connections = 32000;
  std::string state_directory = "/var/lib/carme";
  int lease_s = 8;  // of [standby]
  std::string portal_url;
  std::string jobs_domain;
  std::string jobs_host;
  std::string ldap_ca;
  std::string ldap_bind_dn;
  std::string ldap_password_file;
  std::string mail_password_file;
  std::string allowed_group;
  std::string slurm_conf = "/etc/slurm/slurm.conf";
  std::string feature = "carme";
  std::string shared_images;
  std::string shared_images_account;
  std::vector<std::string> images;
};

// impersonator.toml and storage-reader.toml.
struct RootProgramSettings {
  std::string socket;
  std::string peer_user;
  std::string allowed_group;
};

struct MetricsSettings {
  std::string listen_agents = "0.0.0.0:9445";
  std::string listen_clients = "0.0.0.0:9446";
  CertificatePaths own;
  std::string ca;
  std::string crl;
  std::string backend;
  std::string backend_name = "carme-backend";
  std::string state_directory = "/var/lib/carme-metrics";
  std::string database_url;
  std::string database_password_file;
};

struct NodeSettings {
  std::string backend;
  std::string backend_name;
  std::string ca;
  std::string runtime_directory = "/run/carme/jobs";
  std::string scratch_directory = "/var/lib/carme/scratch";
  std::string apptainer = "/usr/bin/apptainer";
  int port_first = 34000;
  int port_last = 34999;
  std::string feature = "carme";
};

// NOT_FOUND, PERMISSION_DENIED; INVALID_ARGUMENT: not TOML.
absl::StatusOr<ProxySettings> LoadProxySettings(const std::string& path);
absl::StatusOr<FrontendSettings> LoadFrontendSettings(const std::string& path);
absl::StatusOr<BackendSettings> LoadBackendSettings(const std::string& path);
// `socket` is the default of the program.
absl::StatusOr<RootProgramSettings> LoadRootProgramSettings(
    const std::string& path, const std::string& socket);
absl::StatusOr<MetricsSettings> LoadMetricsSettings(const std::string& path);
absl::StatusOr<NodeSettings> LoadNodeSettings(const std::string& path);

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_DOCTOR_HOST_SETTINGS_H_
