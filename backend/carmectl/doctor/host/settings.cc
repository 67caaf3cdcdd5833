#include "backend/carmectl/doctor/host/settings.h"

#include "common/config/config.h"
#include "common/status.h"

namespace carme::carmectl {
namespace {

CertificatePaths ReadCertificatePaths(ConfigTable table) {
  CertificatePaths paths;
  table.Read("certificate", &paths.certificate);
  table.Read("key", &paths.key);
  return paths;
}

BackendLink ReadBackendLink(ConfigTable table) {
  BackendLink link;
  table.Read("address", &link.address);
  table.Read("server_name", &link.server_name);
  table.Read("ca", &link.ca);
  table.Read("crl", &link.crl);
  link.own = ReadCertificatePaths(table);
  return link;
}

}  // namespace

absl::StatusOr<ProxySettings> LoadProxySettings(const std::string& path) {
  ASSIGN_OR_RETURN(ConfigFile file, ConfigFile::Load(path));
  ConfigTable root = file.root();
  ProxySettings settings;
  root.Read("listen", &settings.listen);
  root.Read("agents_listen", &settings.agents_listen);
  root.Read("portal_host", &settings.portal_host);
  root.Read("jobs_domain", &settings.jobs_domain);
  root.Read("jobs_host", &settings.jobs_host);
  root.Read("state_directory", &settings.state_directory);
  root.Read("access_log", &settings.access_log);
  settings.certificates.push_back(ReadCertificatePaths(root));
  for (const ConfigTable& table : root.Tables("certificates")) {
    settings.certificates.push_back(ReadCertificatePaths(table));
  }
  root.Table("frontend").Read("address", &settings.frontend);
  settings.backend = ReadBackendLink(root.Table("backend"));
  root.Table("limits").Read("max_connections", &settings.max_connections);
  return settings;
}

absl::StatusOr<FrontendSettings> LoadFrontendSettings(const std::string& path) {
  ASSIGN_OR_RETURN(ConfigFile file, ConfigFile::Load(path));
  ConfigTable root = file.root();
  FrontendSettings settings;
  root.Read("listen", &settings.listen);
  settings.backend = ReadBackendLink(root.Table("backend"));
  return settings;
}

absl::StatusOr<BackendSettings> LoadBackendSettings(const std::string& path) {
  ASSIGN_OR_RETURN(ConfigFile file, ConfigFile::Load(path));
  ConfigTable root = file.root();
  BackendSettings settings;
  root.Table("listen").Read("clients", &settings.listen_clients);
  root.Table("listen").Read("agents", &settings.listen_agents);
  ConfigTable tls = root.Table("tls");
  settings.own = ReadCertificatePaths(tls);
  tls.Read("client_ca", &settings.client_ca);
  tls.Read("client_crl", &settings.client_crl);
  settings.identity_backend = ReadBackendLink(root.Table("identity"));
  root.Table("agents").Read("max_connections", &settings.max_agent_connections);
  root.Table("state").Read("directory", &settings.state_directory);
  root.Table("standby").Read("lease_s", &settings.lease_s);
  ConfigTable portal = root.Table("portal");
  portal.Read("url", &settings.portal_url);
  portal.Read("jobs_domain", &settings.jobs_domain);
  portal.Read("jobs_host", &settings.jobs_host);
  ConfigTable ldap = root.Table("ldap");
  ldap.Read("ca_file", &settings.ldap_ca);
  ldap.Read("bind_dn", &settings.ldap_bind_dn);
  ldap.Read("bind_password_file", &settings.ldap_password_file);
  ldap.Read("allowed_group", &settings.allowed_group);
  root.Table("mail").Read("password_file", &settings.mail_password_file);
  ConfigTable slurm = root.Table("slurm");
  slurm.Read("conf", &settings.slurm_conf);
  slurm.Read("feature", &settings.feature);
  ConfigTable shared = root.Table("shared_images");
  shared.Read("directory", &settings.shared_images);
  shared.Read("account", &settings.shared_images_account);
  for (ConfigTable image : root.Tables("images")) {
    std::string image_path;
    image.Read("path", &image_path);
    settings.images.push_back(image_path);
  }
  return settings;
}

absl::StatusOr<RootProgramSettings> LoadRootProgramSettings(
    const std::string& path, const std::string& socket) {
  ASSIGN_OR_RETURN(ConfigFile file, ConfigFile::Load(path));
  ConfigTable root = file.root();
  RootProgramSettings settings{
      .socket = socket, .peer_user = "", .allowed_group = ""};
  root.Read("socket", &settings.socket);
  root.Read("peer_user", &settings.peer_user);
  root.Read("allowed_group", &settings.allowed_group);
  return settings;
}

absl::StatusOr<MetricsSettings> LoadMetricsSettings(const std::string& path) {
  ASSIGN_OR_RETURN(ConfigFile file, ConfigFile::Load(path));
  ConfigTable root = file.root();
  MetricsSettings settings;
  root.Read("state_directory", &settings.state_directory);
  root.Table("listen").Read("agents", &settings.listen_agents);
  root.Table("listen").Read("clients", &settings.listen_clients);
  ConfigTable tls = root.Table("tls");
  settings.own = ReadCertificatePaths(tls);
  tls.Read("ca", &settings.ca);
  tls.Read("crl", &settings.crl);
  root.Table("backend").Read("address", &settings.backend);
  root.Table("backend").Read("server_name", &settings.backend_name);
  root.Table("database").Read("url", &settings.database_url);
  root.Table("database")
      .Read("password_file", &settings.database_password_file);
  return settings;
}

absl::StatusOr<NodeSettings> LoadNodeSettings(const std::string& path) {
  ASSIGN_OR_RETURN(ConfigFile file, ConfigFile::Load(path));
  ConfigTable root = file.root();
  NodeSettings settings;
  root.Read("backend", &settings.backend);
  root.Read("backend_name", &settings.backend_name);
  root.Read("ca", &settings.ca);
  root.Read("runtime_directory", &settings.runtime_directory);
  root.Read("scratch_directory", &settings.scratch_directory);
  root.Read("apptainer", &settings.apptainer);
  root.Read("port_first", &settings.port_first);
  root.Read("port_last", &settings.port_last);
  root.Read("feature", &settings.feature);
  return settings;
}

}  // namespace carme::carmectl
