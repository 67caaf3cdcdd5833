#include "frontend/config.h"

#include <arpa/inet.h>

#include <array>
#include <optional>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/config/config.h"
#include "common/name_rules.h"
#include "common/net/address.h"
#include "common/status.h"
#include "frontend/help_links.h"

namespace carme::frontend {
namespace {

constexpr int kMinConnections = 16;
constexpr int kMaxConnections = 4096;

bool IsLoopback(const std::string& listen) {
  const std::string host = listen.substr(0, listen.rfind(':'));
  in_addr v4{};
  if (inet_pton(AF_INET, host.c_str(), &v4) == 1) {
    return ntohl(v4.s_addr) >> 24 == 127;
  }
  return host == "[::1]";
}

void ReadPortal(ConfigTable root, PortalOrigin* portal) {
  std::string url;
  root.Read("portal", &url, Required());
  if (url.empty()) return;
  if (const std::optional<PortalOrigin> parsed = ParsePortalOrigin(url)) {
    *portal = *parsed;
  } else {
    root.Refuse("portal",
                absl::StrCat("\"", url, "\": expected https://host[:port]"));
  }
}

void ReadHelp(ConfigTable table, FrontendConfig::Help* help) {
  table.Read("documentation_url", &help->documentation_url);
  table.Read("support_mail", &help->support_mail);
  if (!help->documentation_url.empty() &&
      !IsDocumentationUrl(help->documentation_url)) {
    table.Refuse("documentation_url",
                 absl::StrCat("expected https://HOST/…, at most ",
                              kMaxDocumentationUrlBytes,
                              " characters that need no escape"));
  }
  if (!help->support_mail.empty() && !IsSupportMail(help->support_mail)) {
    table.Refuse("support_mail",
                 "expected a mail address, such as support@example.org");
  }
}

void ReadBackend(ConfigTable table, FrontendConfig::Backend* backend) {
  table.Read("address", &backend->address, Required());
  table.Read("server_name", &backend->server_name);
  // A further cluster has the files of the first one as defaults.
  const auto read_file = [&](const char* key, std::string* path) {
    if (path->empty() || table.Has(key)) table.Read(key, path, Required());
  };
  read_file("ca", &backend->ca);
  read_file("certificate", &backend->certificate);
  read_file("key", &backend->key);
  table.Read("crl", &backend->crl);
  table.Read("expiry_warn_days", &backend->expiry_warn_days, Range(1, 365));
}

void ReadClusterName(ConfigTable table, const char* key, std::string* name,
                     std::set<std::string>* names) {
  table.Read(key, name, Required());
  if (name->empty()) return;
  if (!kSlurmNameRule.Allows(*name)) {
    table.Refuse(key, absl::StrCat("\"", *name,
                                   "\": expected letters, digits, \"_\", "
                                   "\"-\" and \".\", at most ",
                                   kSlurmNameRule.max_bytes));
  }
  if (!names->insert(*name).second) {
    table.Refuse(key, absl::StrCat("\"", *name,
                                   "\" is the name of two clusters: expected "
                                   "a name for each"));
  }
}

void ReadJobsDomain(ConfigTable table, const PortalOrigin& portal,
                    std::string* domain) {
  table.Read("jobs_domain", domain, Required());
  if (domain->empty()) return;
  const std::optional<PortalOrigin> parsed =
      ParsePortalOrigin(absl::StrCat("https://", *domain));
  if (!parsed) {
    table.Refuse("jobs_domain",
                 absl::StrCat("\"", *domain, "\": expected host[:port]"));
  } else if (IsInDomain(portal.origin, parsed->host)) {
    table.Refuse("jobs_domain",
                 absl::StrCat("\"", *domain,
                              "\" contains the portal: expected a domain of "
                              "the cluster's own"));
  } else {
    *domain = parsed->host;
  }
}

void ReadClusters(ConfigTable root, ConfigTable backend,
                  FrontendConfig* config) {
  const std::vector<ConfigTable> tables = root.Tables("clusters");
  std::set<std::string> names;
  // What a certificate proves. Otherwise the backend of one cluster could pass
  // as the identity backend and receive sessions.
  std::set<std::pair<std::string, std::string>> proofs = {
      {config->backend.ca, config->backend.server_name}};
  if (!tables.empty() || backend.Has("cluster")) {
    ReadClusterName(backend, "cluster", &config->cluster, &names);
  }
  for (ConfigTable table : tables) {
    FrontendConfig::FurtherCluster cluster;
    ReadClusterName(table, "name", &cluster.name, &names);
    ReadJobsDomain(table, config->portal, &cluster.jobs_domain);
    cluster.backend = config->backend;
    ReadBackend(table, &cluster.backend);
    if (!proofs.insert({cluster.backend.ca, cluster.backend.server_name})
             .second) {
      table.Refuse("server_name",
                   absl::StrCat("\"", cluster.backend.server_name,
                                "\" is the name of two backends of one "
                                "authority: expected a name for each"));
    }
    config->clusters.push_back(std::move(cluster));
  }
}

void ReadMetrics(ConfigTable table, FrontendConfig* config) {
  config->metrics = config->backend;
  config->metrics.address.clear();
  config->metrics.server_name = "carme-metrics";
  table.Read("address", &config->metrics.address);
  table.Read("server_name", &config->metrics.server_name);
  table.Read("ca", &config->metrics.ca);
  table.Read("crl", &config->metrics.crl);
  if (config->metrics.ca == config->backend.ca &&
      config->metrics.server_name == config->backend.server_name) {
    table.Refuse("server_name",
                 absl::StrCat("\"", config->metrics.server_name,
                              "\" is the name of the backend: expected one of "
                              "carme-metrics' own"));
  }
}

void ReadLimits(ConfigTable table, FrontendConfig::Limits* limits) {
  table.Read("connections", &limits->connections,
             Range(kMinConnections, kMaxConnections));
  table.Read("streams", &limits->streams, Range(1, kMaxConnections));
  table.Read("streams_per_session", &limits->streams_per_session, Range(1, 64));
  const int max = limits->connections * 3 / 4;
  if (limits->streams > max) {
    table.Refuse("streams",
                 absl::StrCat(limits->streams, ": expected at most ", max,
                              ", three quarters of \"connections\""));
  }
}

}  // namespace

absl::StatusOr<FrontendConfig> LoadConfig(const std::string& path) {
  ASSIGN_OR_RETURN(ConfigFile file, ConfigFile::Load(path));
  FrontendConfig config;
  config.web_root = CARME_WEB_ROOT;
  ConfigTable root = file.root();
  root.Read("listen", &config.listen);
  root.Read("allow_remote", &config.allow_remote);
  root.Read("metrics_listen", &config.metrics_listen);
  if (!config.metrics_listen.empty() &&
      !net::Address::Parse(config.metrics_listen).ok()) {
    root.Refuse("metrics_listen", "expected an IP address and a port");
  }
  root.Read("web_root", &config.web_root);
  ReadPortal(root, &config.portal);
  ReadHelp(root.Table("help"), &config.help);
  ReadBranding(root.Table("branding"), &config.branding);
  const ConfigTable backend = root.Table("backend");
  ReadBackend(backend, &config.backend);
  ReadClusters(root, backend, &config);
  ReadMetrics(root.Table("metrics"), &config);
  ReadLimits(root.Table("limits"), &config.limits);
  if (!config.allow_remote && !IsLoopback(config.listen)) {
    root.Refuse("listen",
                absl::StrCat("\"", config.listen,
                             "\" is not a loopback address: expected one, or "
                             "allow_remote = true"));
  }
  RETURN_IF_ERROR(file.Finish());
  return config;
}

}  // namespace carme::frontend
