#include "backend/metrics/wiring/metrics_config.h"

#include <string_view>
#include <utility>

#include "backend/metrics/wiring/messages.h"
#include "common/config/config.h"
#include "common/name_rules.h"
#include "common/net/address.h"
#include "common/pki/machine_identity.h"
#include "common/status.h"

namespace carme::metrics {
namespace {

void CheckAddress(ConfigTable table, const char* key,
                  const std::string& address) {
  if (net::Address::Parse(address).ok()) return;
  table.Refuse(
      key, FormatMessage(wiring_messages::kNotAnAddress, {{"value", address}}));
}

bool IsUrl(std::string_view url) {
  const size_t begin = url.starts_with("https://")  ? 8
                       : url.starts_with("http://") ? 7
                                                    : url.size();
  url.remove_prefix(begin);
  return !url.empty() && url.find_first_of("/?#@ ") == std::string_view::npos;
}

void ReadTls(ConfigTable table, MetricsProgramConfig::Tls* tls) {
  table.Read("certificate", &tls->certificate, Required());
  table.Read("key", &tls->key, Required());
  table.Read("ca", &tls->ca, Required());
  table.Read("crl", &tls->crl);
  table.Read("expiry_warn_days", &tls->expiry_warn_days, Range(1, 365));
  table.Read("frontend_name", &tls->frontend_name);
  if (!IsMachineName(tls->frontend_name)) {
    table.Refuse("frontend_name",
                 FormatMessage(wiring_messages::kNotAMachineName,
                               {{"value", tls->frontend_name}}));
  }
}

void ReadDatabase(ConfigTable table, MetricsProgramConfig::Database* database) {
  table.Read("url", &database->url, Required());
  if (!database->url.empty() && !IsUrl(database->url)) {
    table.Refuse("url", FormatMessage(wiring_messages::kNotAUrl,
                                      {{"value", database->url}}));
  }
  table.Read("username", &database->username);
  table.Read("password_file", &database->password_file);
  if (!database->username.empty() && database->password_file.empty()) {
    table.Refuse("username", FormatMessage(wiring_messages::kNoPassword));
  }
  table.Read("ca", &database->ca);
  table.Read("timeout_s", &database->timeout, Range(1, 60));
  table.Read("max_concurrent_writes", &database->max_concurrent_writes,
             Range(1, 256));
}

void ReadLimits(ConfigTable table, IngestLimits* limits) {
  table.Read("samples_per_s_per_job", &limits->samples_per_s_per_job,
             Range(10, 1'000'000));
  table.Read("series_per_job", &limits->series_per_job, Range(10, 1'000'000));
  table.Read("jobs", &limits->jobs, Range(1, 1'000'000));
}

void ReadArchive(ConfigTable table, MetricsProgramConfig::Archive* archive) {
  table.Read("mib_per_job", &archive->mib_per_job, Range(1, 1024));
  table.Read("mib_total", &archive->mib_total, Range(1, int64_t{1} << 30));
  table.Read("days", &archive->days, Range(1, 36'500));
}

void ReadExport(ConfigTable table, ExportNames* names) {
  for (const auto& [key, name] : {std::pair{"cluster", &names->cluster},
                                  {"subcluster", &names->subcluster}}) {
    table.Read(key, name);
    if (kSlurmNameRule.Allows(*name) && !name->starts_with('.')) continue;
    table.Refuse(key, FormatMessage(wiring_messages::kNotAClusterName,
                                    {{"value", *name}}));
  }
}

}  // namespace

absl::StatusOr<MetricsProgramConfig> LoadMetricsConfig(
    const std::string& path) {
  ASSIGN_OR_RETURN(ConfigFile file, ConfigFile::Load(path));
  MetricsProgramConfig config;
  ConfigTable root = file.root();
  root.Read("state_directory", &config.state_directory);
  root.Read("metrics_listen", &config.metrics_listen);
  if (!config.metrics_listen.empty()) {
    CheckAddress(root, "metrics_listen", config.metrics_listen);
  }
  ConfigTable listen = root.Table("listen");
  listen.Read("agents", &config.agents);
  CheckAddress(listen, "agents", config.agents);
  listen.Read("clients", &config.clients);
  CheckAddress(listen, "clients", config.clients);
  ReadTls(root.Table("tls"), &config.tls);
  ConfigTable backend = root.Table("backend");
  backend.Read("address", &config.backend.address, Required());
  backend.Read("server_name", &config.backend.server_name);
  ReadDatabase(root.Table("database"), &config.database);
  ReadLimits(root.Table("limits"), &config.limits);
  ReadArchive(root.Table("archive"), &config.archive);
  ReadExport(root.Table("export"), &config.export_names);
  root.Table("rules").Read("file", &config.rules_file);
  RETURN_IF_ERROR(file.Finish());
  return config;
}

}  // namespace carme::metrics
