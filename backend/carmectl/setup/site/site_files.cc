#include "backend/carmectl/setup/site/site_files.h"

#include <fcntl.h>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backend/carmectl/setup/site/config_template.h"
#include "backend/carmectl/setup/site/messages.h"
#include "backend/carmectl/setup/site/site_templates.h"
#include "common/crypto/file_digest.h"
#include "common/file.h"
#include "common/status.h"
#include "common/unique_fd.h"

namespace carme::carmectl {
namespace {

constexpr int kClientPort = 9443;
constexpr int kAgentPort = 9444;
// port_first and port_last of deploy/config/agent.toml.
constexpr char kAgentPorts[] = "34000-34999";

std::string WithPort(const std::string& host, int port) {
  return absl::StrContains(host, ":") ? absl::StrCat("[", host, "]:", port)
                                      : absl::StrCat(host, ":", port);
}

void SetJobsName(std::string_view table, const SiteAnswers& answers,
                 ConfigTemplate* file) {
  file->SetOrDisable(table, "jobs_domain", answers.jobs_domain);
  file->SetOrDisable(table, "jobs_host", answers.jobs_host);
}

void SetDirectory(const SiteAnswers& answers, const std::string& etc,
                  ConfigTemplate* file) {
  constexpr std::string_view kTable = "[ldap]";
  file->Set(kTable, "url", answers.ldap_url);
  file->SetOrDisable(
      kTable, "ca_file",
      answers.ldap_ca_file.empty() ? "" : absl::StrCat(etc, "/ldap-ca.pem"));
  file->Set(kTable, "start_tls", answers.start_tls);
  file->SetOrDisable(kTable, "bind_dn", answers.bind_dn);
  file->SetOrDisable(
      kTable, "bind_password_file",
      answers.bind_dn.empty() ? "" : absl::StrCat(etc, "/ldap-password"));
  file->Set(kTable, "user_base", answers.user_base);
  file->Set(kTable, "group_base", answers.group_base);
  file->Set(kTable, "allowed_group", answers.allowed_group);
  file->Set(kTable, "admin_group", answers.admin_group);
  file->Disable(kTable, "manager_group");
  file->Disable(kTable, "support_group");
  if (answers.directory_kind != "active-directory") return;
  const auto set = [&](std::string_view key, const std::string& value) {
    file->Set(kTable, key, value);
  };
  set("user_filter",
      "(&(objectCategory=person)(objectClass=user)(|(sAMAccountName=%s)"
      "(userPrincipalName=%s))"
      "(!(userAccountControl:1.2.840.113556.1.4.803:=2)))");
  set("name_attribute", "sAMAccountName");
  set("uid_source", "nss");
  set("group_filter", "");
  set("nested_groups", "in_chain");
  set("password_change", "active-directory");
}

void SetCluster(const SiteAnswers& answers, const std::string& etc,
                ConfigTemplate* file) {
  if (answers.cluster.empty()) return;
  file->Set("[cluster]", "name", answers.cluster);
  for (const std::string& each : answers.further_clusters) {
    file->Append(
        {"[[identity.clusters]]", absl::StrCat("name = ", TomlText(each))});
  }
  if (!IsFurtherCluster(answers)) return;
  constexpr std::string_view kTable = "[identity]";
  file->Set(kTable, "address", answers.identity_backend);
  file->Set(kTable, "server_name", std::string(kBackendName));
  file->Set(kTable, "ca", absl::StrCat(etc, "/identity-ca.pem"));
  file->Set(kTable, "certificate", absl::StrCat(etc, "/cluster.pem"));
  file->Set(kTable, "key", absl::StrCat(etc, "/cluster.key"));
  file->Set(kTable, "issuer_key", answers.issuer_key);
}

absl::StatusOr<std::string> RenderBackend(const SiteAnswers& answers,
                                          const SiteMaterial& material,
                                          const SitePaths& paths) {
  const std::string& etc = paths.config_directory;
  ConfigTemplate file(kBackendTemplate);
  file.Set("[listen]", "clients",
           WithPort(answers.backend_address, kClientPort));
  file.Set("[listen]", "agents", WithPort(answers.backend_address, kAgentPort));
  file.Set("[tls]", "certificate", absl::StrCat(etc, "/backend.pem"));
  file.Set("[tls]", "key", absl::StrCat(etc, "/backend.key"));
  file.Set("[tls]", "client_ca", absl::StrCat(etc, "/ca.pem"));
  file.Set("[tls]", "client_crl", absl::StrCat(etc, "/crl.pem"));
  file.Set("[portal]", "url", absl::StrCat("https://", answers.portal_host));
  SetJobsName("[portal]", answers, &file);
  SetDirectory(answers, etc, &file);
  SetCluster(answers, etc, &file);
  file.Set("[slurm]", "conf", answers.slurm_conf);
  file.Set("[slurm]", "feature", answers.feature);
  file.Set("[environments]", "node_system", answers.node_system);
  file.DisableTable("[mail]");
  file.DisableTable("[[images.mounts]]");
  if (answers.image.empty()) {
    file.DisableTable("[[images]]");
  } else {
    file.Set("[[images]]", "path", answers.image);
    file.Set("[[images]]", "sha256", material.image_sha256);
  }
  RETURN_IF_ERROR(file.status());
  return file.text();
}

absl::StatusOr<std::string> RenderProxy(const SiteAnswers& answers,
                                        const SitePaths& paths) {
  const std::string& etc = paths.config_directory;
  ConfigTemplate file(kProxyTemplate);
  file.Set("", "portal_host", answers.portal_host);
  SetJobsName("", answers, &file);
  file.Set("", "certificate", absl::StrCat(etc, "/public.pem"));
  file.Set("", "key", absl::StrCat(etc, "/public.key"));
  file.Set("[backend]", "address", WithPort(answers.backend_host, kClientPort));
  file.Set("[backend]", "ca", absl::StrCat(etc, "/ca.pem"));
  file.Set("[backend]", "certificate", absl::StrCat(etc, "/proxy.pem"));
  file.Set("[backend]", "key", absl::StrCat(etc, "/proxy.key"));
  file.Set("[backend]", "crl", absl::StrCat(etc, "/crl.pem"));
  RETURN_IF_ERROR(file.status());
  return file.text();
}

absl::StatusOr<std::string> RenderFrontend(const SiteAnswers& answers,
                                           const SitePaths& paths) {
  const std::string& etc = paths.config_directory;
  ConfigTemplate file(kFrontendTemplate);
  file.Set("", "portal", absl::StrCat("https://", answers.portal_host));
  file.Set("", "web_root", absl::StrCat(paths.prefix, "/share/carme/web"));
  file.Set("[backend]", "address", WithPort(answers.backend_host, kClientPort));
  file.Set("[backend]", "ca", absl::StrCat(etc, "/ca.pem"));
  file.Set("[backend]", "certificate", absl::StrCat(etc, "/frontend.pem"));
  file.Set("[backend]", "key", absl::StrCat(etc, "/frontend.key"));
  if (!answers.cluster.empty()) {
    file.Set("[backend]", "cluster", answers.cluster);
  }
  file.Set("[backend]", "crl", absl::StrCat(etc, "/crl.pem"));
  RETURN_IF_ERROR(file.status());
  return file.text();
}

absl::StatusOr<std::string> RenderImpersonator(const SiteAnswers& answers,
                                               const SitePaths& paths) {
  ConfigTemplate file(kImpersonatorTemplate);
  file.Set("", "agent",
           absl::StrCat(paths.prefix, "/libexec/carme/carme-agent"));
  file.Set("", "slurm_conf", answers.slurm_conf);
  file.Set("", "feature", answers.feature);
  file.Set("", "allowed_group", answers.allowed_group);
  RETURN_IF_ERROR(file.status());
  return file.text();
}

absl::StatusOr<std::string> RenderStorageReader(const SiteAnswers& answers) {
  ConfigTemplate file(kStorageReaderTemplate);
  file.Set("", "allowed_group", answers.allowed_group);
  RETURN_IF_ERROR(file.status());
  return file.text();
}

absl::StatusOr<std::string> RenderAgent(const SiteAnswers& answers,
                                        const SitePaths& paths) {
  ConfigTemplate file(kAgentTemplate);
  file.Set("", "backend", WithPort(answers.backend_host, kAgentPort));
  file.Set("", "ca", absl::StrCat(paths.config_directory, "/ca.pem"));
  file.Set("", "scratch_directory", answers.scratch);
  file.Set("", "feature", answers.feature);
  RETURN_IF_ERROR(file.status());
  return file.text();
}

// Drops connections to `ports` from addresses other than `allowed`.
std::string PortRules(const std::string& ports,
                      const std::vector<std::string>& allowed) {
  std::vector<std::string> ipv4;
  std::vector<std::string> ipv6;
  for (const std::string& each : allowed) {
    (absl::StrContains(each, ":") ? ipv6 : ipv4).push_back(each);
  }
  std::string rules;
  for (const auto& [family, protocol, addresses] :
       {std::tuple("ip", "ipv4", &ipv4), {"ip6", "ipv6", &ipv6}}) {
    absl::StrAppend(&rules, "    tcp dport ", ports, " meta nfproto ",
                    protocol);
    if (!addresses->empty()) {
      absl::StrAppend(&rules, " ", family, " saddr != { ",
                      absl::StrJoin(*addresses, ", "), " }");
    }
    absl::StrAppend(&rules, " drop\n");
  }
  return rules;
}

std::string Firewall(const std::string& rules) {
  return absl::StrCat(
      "# Written by carmectl setup. /etc/nftables.conf must include this "
      "file.\n"
      "# It limits Carme's ports and leaves all others to the site's rules.\n"
      "table inet carme\n"
      "delete table inet carme\n"
      "table inet carme {\n"
      "  chain input {\n"
      "    type filter hook input priority filter; policy accept;\n"
      "    iif lo accept\n"
      // Responses to this host's own connections, which may be from such ports.
      "    ct state established,related accept\n",
      rules, "  }\n}\n");
}

std::string DropIn(const SiteAnswers& answers, bool writes_homes) {
  std::string text = absl::StrCat(
      "# Written by carmectl setup: slurmctld, name servers, and what programs "
      "for\n# storage connect to.\n[Service]\nIPAddressAllow=",
      absl::StrJoin(answers.allowed_addresses, " "), "\n");
  if (writes_homes) {
    absl::StrAppend(&text, "ReadWritePaths=-",
                    absl::StrJoin(answers.homes, " -"), "\n");
  }
  return text;
}

class SiteRenderer {
 public:
  SiteRenderer(const SiteAnswers& answers, const SiteMaterial& material,
               const SitePaths& paths, std::vector<SetupFile>* files)
      : answers_(answers), material_(material), paths_(paths), files_(*files) {}

  void AddHead() {
    AddPublic(SetupHost::kHead, "ca.pem", material_.authority);
    AddPublic(SetupHost::kHead, "crl.pem", material_.revocations);
    AddPair(SetupHost::kHead, "backend", material_.backend, "carme");
    if (IsFurtherCluster(answers_)) {
      AddPublic(SetupHost::kHead, "identity-ca.pem", material_.identity_ca);
      AddPair(SetupHost::kHead, "cluster", material_.identity, "carme");
    }
    if (!material_.ldap_ca.empty()) {
      AddPublic(SetupHost::kHead, "ldap-ca.pem", material_.ldap_ca);
    }
    if (!answers_.bind_dn.empty()) {
      AddSecret(SetupHost::kHead, "ldap-password",
                absl::StrCat(material_.ldap_password, "\n"), "carme");
    }
    AddPublic(
        SetupHost::kHead, "firewall.nft",
        Firewall(absl::StrCat(
            PortRules(absl::StrCat(kClientPort), answers_.dmz_addresses),
            PortRules(absl::StrCat(kAgentPort), answers_.node_networks))));
    for (const bool impersonator : {true, false}) {
      files_.push_back(
          {SetupHost::kHead,
           absl::StrCat("/etc/systemd/system/carme-",
                        impersonator ? "impersonator" : "storage-reader",
                        ".service.d/setup.conf"),
           DropIn(answers_, impersonator)});
    }
  }

  void AddDmz() {
    AddPublic(SetupHost::kDmz, "ca.pem", material_.authority);
    AddPublic(SetupHost::kDmz, "crl.pem", material_.revocations);
    if (!IsFurtherCluster(answers_)) {
      AddPair(SetupHost::kDmz, "frontend", material_.frontend,
              "carme-frontend");
    }
    AddPair(SetupHost::kDmz, "proxy", material_.proxy, "carme-proxy");
    if (!material_.browsers.certificate.empty()) {
      AddPair(SetupHost::kDmz, "public", material_.browsers, "carme-proxy");
    }
  }

  void AddPortal() {
    if (!IsFurtherCluster(answers_)) return;
    const std::string prefix = absl::StrCat(answers_.cluster, "-");
    AddPublic(SetupHost::kPortal, prefix + "ca.pem", material_.authority);
    AddPublic(SetupHost::kPortal, prefix + "crl.pem", material_.revocations);
    AddPair(SetupHost::kPortal, prefix + "frontend", material_.frontend,
            "carme-frontend");
  }

  void AddNode() {
    AddPublic(SetupHost::kNode, "ca.pem", material_.authority);
    AddPublic(SetupHost::kNode, "firewall.nft",
              Firewall(PortRules(kAgentPorts, answers_.dmz_addresses)));
  }

 private:
  std::string Path(const std::string& name) const {
    return absl::StrCat(paths_.config_directory, "/", name);
  }
  void AddPublic(SetupHost host, const std::string& name,
                 const std::string& content) {
    files_.push_back({host, Path(name), content});
  }
  void AddSecret(SetupHost host, const std::string& name,
                 const std::string& content, const std::string& owner) {
    files_.push_back({host, Path(name), content, 0400, owner, owner});
  }
  void AddPair(SetupHost host, const std::string& name, const PemPair& pair,
               const std::string& owner) {
    AddPublic(host, name + ".pem", pair.certificate);
    AddSecret(host, name + ".key", pair.key, owner);
  }

  const SiteAnswers& answers_;
  const SiteMaterial& material_;
  const SitePaths& paths_;
  std::vector<SetupFile>& files_;
};

absl::Status Unreadable(std::string_view key, const absl::Status& status) {
  return MakePlainError(setup_messages::kPrivateFileUnreadable,
                        {{"key", key}, {"error", status.message()}});
}

absl::Status ReadInto(std::string_view key, const std::string& path,
                      std::string* content) {
  if (path.empty()) return absl::OkStatus();
  auto read = ReadFile(path);
  if (!read.ok()) return Unreadable(key, read.status());
  *content = *std::move(read);
  return absl::OkStatus();
}

absl::Status ReadKeyInto(std::string_view key, const std::string& path,
                         std::string* content) {
  if (path.empty()) return absl::OkStatus();
  const auto read = ReadSecretFile(path);
  if (!read.ok()) return Unreadable(key, read.status());
  *content = absl::StrCat(*read, "\n");
  return absl::OkStatus();
}

absl::StatusOr<std::string> DigestOfImage(const std::string& path) {
  const UniqueFd fd(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd.valid()) return ErrnoError(errno, absl::StrCat("open ", path));
  return Sha256OfFile(fd.get());
}

}  // namespace

std::string_view SetupHostName(SetupHost host) {
  switch (host) {
    case SetupHost::kHead:
      return "head";
    case SetupHost::kDmz:
      return "dmz";
    case SetupHost::kPortal:
      return "portal";
    case SetupHost::kNode:
      break;
  }
  return "node";
}

absl::StatusOr<SiteMaterial> LoadMaterial(const SiteAnswers& answers,
                                          const std::string& password) {
  SiteMaterial material;
  RETURN_IF_ERROR(ReadInto("ca_file", answers.ldap_ca_file, &material.ldap_ca));
  RETURN_IF_ERROR(ReadInto("certificate", answers.public_certificate,
                           &material.browsers.certificate));
  RETURN_IF_ERROR(
      ReadInto("identity_ca", answers.identity_ca, &material.identity_ca));
  RETURN_IF_ERROR(ReadInto("identity_certificate", answers.identity_certificate,
                           &material.identity.certificate));
  RETURN_IF_ERROR(ReadKeyInto("identity_key", answers.identity_key,
                              &material.identity.key));
  RETURN_IF_ERROR(
      ReadKeyInto("key", answers.public_key, &material.browsers.key));
  material.ldap_password = password;
  if (password.empty() && !answers.bind_password_file.empty()) {
    auto read = ReadSecretFile(answers.bind_password_file);
    if (!read.ok()) return Unreadable("bind_password_file", read.status());
    material.ldap_password = *std::move(read);
  }
  if (!answers.image.empty()) {
    auto digest = DigestOfImage(answers.image);
    if (!digest.ok()) return Unreadable("image", digest.status());
    material.image_sha256 = *std::move(digest);
  }
  return material;
}

absl::StatusOr<std::vector<SetupFile>> RenderConfigurations(
    const SiteAnswers& answers, const SiteMaterial& material,
    const SitePaths& paths) {
  std::vector<SetupFile> files;
  const auto add = [&](SetupHost host, const char* name, std::string content) {
    files.push_back({host, absl::StrCat(paths.config_directory, "/", name),
                     std::move(content)});
  };
  ASSIGN_OR_RETURN(std::string backend,
                   RenderBackend(answers, material, paths));
  add(SetupHost::kHead, "backend.toml", std::move(backend));
  ASSIGN_OR_RETURN(std::string impersonator,
                   RenderImpersonator(answers, paths));
  add(SetupHost::kHead, "impersonator.toml", std::move(impersonator));
  ASSIGN_OR_RETURN(std::string reader, RenderStorageReader(answers));
  add(SetupHost::kHead, "storage-reader.toml", std::move(reader));
  if (!IsFurtherCluster(answers)) {
    ASSIGN_OR_RETURN(std::string frontend, RenderFrontend(answers, paths));
    add(SetupHost::kDmz, "frontend.toml", std::move(frontend));
  }
  ASSIGN_OR_RETURN(std::string proxy, RenderProxy(answers, paths));
  add(SetupHost::kDmz, "proxy.toml", std::move(proxy));
  ASSIGN_OR_RETURN(std::string agent, RenderAgent(answers, paths));
  add(SetupHost::kNode, "agent.toml", std::move(agent));
  return files;
}

absl::StatusOr<std::vector<SetupFile>> RenderSite(const SiteAnswers& answers,
                                                  const SiteMaterial& material,
                                                  const SitePaths& paths) {
  ASSIGN_OR_RETURN(std::vector<SetupFile> files,
                   RenderConfigurations(answers, material, paths));
  SiteRenderer renderer(answers, material, paths, &files);
  renderer.AddHead();
  renderer.AddDmz();
  renderer.AddNode();
  renderer.AddPortal();
  return files;
}

std::string RenderPortalLines(const SiteAnswers& answers,
                              const SitePaths& paths) {
  if (!IsFurtherCluster(answers)) return "";
  const std::string name = TomlText(answers.cluster);
  const auto file = [&](const char* what) {
    return TomlText(
        absl::StrCat(paths.config_directory, "/", answers.cluster, "-", what));
  };
  return absl::StrCat(
      "# backend.toml of the identity backend, unless it has them. Its "
      "[cluster] needs a\n# name, and its firewall must let ",
      answers.backend_address, " reach its port for clients.\n",
      "[[identity.clusters]]\nname = ", name,
      "\n\n# frontend.toml of the portal, after the files of portal.tar are on "
      "its host. Its\n# [backend] needs a cluster.\n[[clusters]]\nname = ",
      name,
      "\naddress = ", TomlText(WithPort(answers.backend_host, kClientPort)),
      "\nserver_name = ", TomlText(std::string(kBackendName)),
      "\njobs_domain = ",
      TomlText(answers.jobs_domain.empty() ? answers.jobs_host
                                           : answers.jobs_domain),
      "\nca = ", file("ca.pem"), "\ncrl = ", file("crl.pem"),
      "\ncertificate = ", file("frontend.pem"),
      "\nkey = ", file("frontend.key"), "\n");
}

std::string RenderSlurmLines(const SiteAnswers& answers,
                             const SitePaths& paths) {
  // Packages install the plugin where Slurm looks for it.
  const std::string plugin_directory =
      paths.prefix == "/usr" ? "" : absl::StrCat(paths.prefix, "/lib/carme/");
  return absl::StrCat(
      "# slurm.conf of all hosts. A site's own Prolog and Epilog call these "
      "programs.\n# Add the feature to the NodeName lines of Carme's nodes:\n"
      "#   NodeName=... Feature=",
      answers.feature, "\nProlog=", paths.prefix,
      "/libexec/carme/prolog\nEpilog=", paths.prefix,
      "/libexec/carme/epilog\nPrologFlags=Alloc\n"
      "# Allow these ports from slurmctld to the nodes:\n"
      "SrunPortRange=60001-63000\n\n"
      "# cgroup.conf of the nodes: a job gets its own GPUs, memory and "
      "processors.\nConstrainDevices=yes\nConstrainRAMSpace=yes\n"
      "ConstrainCores=yes\n\n"
      "# plugstack.conf of login and compute nodes: \"srun --environment\".\n"
      "required ",
      plugin_directory, "spank_carme_env.so ", paths.prefix, "/bin/carme ",
      paths.prefix, "/libexec/carme/carme-env-mount\n");
}

}  // namespace carme::carmectl
