#include "frontend/config.h"

#include <arpa/inet.h>

#include <array>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "common/config/config.h"
#include "common/net/address.h"
#include "common/status.h"

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

void ReadBackend(ConfigTable table, FrontendConfig::Backend* backend) {
  table.Read("address", &backend->address, Required());
  table.Read("server_name", &backend->server_name);
  table.Read("ca", &backend->ca, Required());
  table.Read("certificate", &backend->certificate, Required());
  table.Read("key", &backend->key, Required());
  table.Read("crl", &backend->crl);
  table.Read("expiry_warn_days", &backend->expiry_warn_days, Range(1, 365));
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
  ReadBackend(root.Table("backend"), &config.backend);
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
