// Names and ports from this host: the other programs that its programs connect
// to, with their certificates, and the ports that its programs listen on.
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backend/carmectl/doctor/checks/active_host.h"
#include "backend/carmectl/doctor/checks/messages.h"
#include "backend/carmectl/doctor/host/check.h"
#include "backend/carmectl/doctor/host/peer_connection.h"

namespace carme::carmectl {
namespace {

constexpr FindingKind kNameUnknown{
    "name-unresolved", Severity::kError,
    "The program cannot connect to a host whose name has no address."};
constexpr FindingKind kPortClosed{"port-unreachable", Severity::kError,
                                  "The programs need this connection."};
constexpr FindingKind kTlsRefused{
    "tls-refused", Severity::kError,
    "The programs authenticate each other by TLS and refuse anything else."};
constexpr FindingKind kNotListening{"port-not-listening", Severity::kError,
                                    "Other hosts connect to this port."};
constexpr FindingKind kIsStandby{
    "backend-is-standby", Severity::kNote,
    "The backend of this host opens its ports when it takes over."};

// Where a wildcard address listens, seen from the host itself.
std::string LocalAddress(const std::string& listen) {
  const auto parsed = ParseHostPort(listen);
  if (!parsed.ok()) return listen;
  if (parsed->host == "0.0.0.0")
    return absl::StrCat("127.0.0.1:", parsed->port);
  if (parsed->host == "::") return absl::StrCat("[::1]:", parsed->port);
  return listen;
}

constexpr FindingKind kDatabaseUnreachable{
    "metrics-database-unreachable", Severity::kError,
    "Agents keep the samples of jobs for five minutes, then they are lost."};

// "127.0.0.1:8428" of "http://127.0.0.1:8428/path".
std::string AddressOfUrl(const std::string& url) {
  const bool https = absl::StartsWith(url, "https://");
  std::string host = url.substr(https ? 8 : 7);
  host = host.substr(0, host.find('/'));
  const bool has_port = host.find(':', host.find(']') + 1) != std::string::npos;
  return has_port ? host : absl::StrCat(host, https ? ":443" : ":80");
}

class NetworkCheck : public Check {
 public:
  CheckInfo info() const override {
    return {"network",
            "names resolve, ports are open, TLS works, programs listen",
            {HostRole::kProxy, HostRole::kFrontend, HostRole::kBackend,
             HostRole::kMetrics, HostRole::kNode},
            {kNameUnknown, kPortClosed, kTlsRefused, kNotListening, kIsStandby,
             kDatabaseUnreachable}};
  }

  std::vector<Finding> Run(const Host& host) const override {
    std::vector<Finding> findings;
    if (const auto& proxy = host.proxy()) {
      CheckBackendLink(host, HostRole::kProxy, proxy->backend, &findings);
      CheckListening(host, "carme-frontend", proxy->frontend, &findings);
      CheckListening(host, "carme-proxy", proxy->listen, &findings);
      if (!proxy->agents_listen.empty()) {
        CheckListening(host, "carme-proxy", proxy->agents_listen, &findings);
      }
    }
    if (const auto& frontend = host.frontend()) {
      CheckBackendLink(host, HostRole::kFrontend, frontend->backend, &findings);
    }
    if (const auto& backend = host.backend()) {
      CheckBackendPorts(host, &findings);
      if (!backend->identity_backend.address.empty()) {
        CheckBackendLink(host, HostRole::kBackend, backend->identity_backend,
                         &findings);
      }
    }
    if (host.metrics()) CheckMetrics(host, &findings);
    if (const auto& node = host.node()) {
      CheckTls(host, {"backend", host.ConfigPath(HostRole::kNode)},
               {node->backend, node->backend_name, node->ca}, &findings);
    }
    return findings;
  }

 private:
  using Findings = std::vector<Finding>;

  // Where the address of a peer is configured.
  struct Source {
    std::string key;
    std::string file;
  };

  static void CheckBackendLink(const Host& host, HostRole role,
                               const BackendLink& link, Findings* findings) {
    CheckTls(host, {"address", host.ConfigPath(role)},
             {link.address, link.server_name, link.ca, link.own}, findings);
  }

  static void CheckTls(const Host& host, const Source& source,
                       const TlsPeer& peer, Findings* findings) {
    const absl::Status probed = ProbeTlsPeer(peer, host.resolver());
    if (probed.ok()) return;
    const std::string problem =
        FormatMessage(host_check_messages::kBackendUnreachable,
                      {{"address", peer.address},
                       {"name", peer.server_name},
                       {"cause", probed.message()}});
    if (absl::IsNotFound(probed)) {
      findings->push_back(
          {kNameUnknown, problem,
           FormatMessage(host_check_messages::kNameUnknownRemedy,
                         {{"key", source.key}, {"file", source.file}})});
    } else if (absl::IsUnavailable(probed)) {
      findings->push_back(
          {kPortClosed, problem,
           FormatMessage(host_check_messages::kPortClosedRemedy)});
    } else {
      findings->push_back(
          {kTlsRefused, problem,
           absl::StrCat("openssl s_client -connect ", peer.address,
                        " -servername ", peer.server_name, " -verify_hostname ",
                        peer.server_name, " -verify_return_error -CAfile ",
                        peer.ca,
                        peer.own.certificate.empty()
                            ? ""
                            : absl::StrCat(" -cert ", peer.own.certificate,
                                           " -key ", peer.own.key))});
    }
  }

  static void CheckBackendPorts(const Host& host, Findings* findings) {
    if (const auto active = OtherActiveHost(host)) {
      findings->push_back(
          {kIsStandby,
           FormatMessage(host_check_messages::kIsStandby, {{"host", *active}}),
           FormatMessage(host_check_messages::kIsStandbyRemedy,
                         {{"host", *active}})});
      return;
    }
    CheckListening(host, "carme-backend", host.backend()->listen_clients,
                   findings);
    CheckListening(host, "carme-backend", host.backend()->listen_agents,
                   findings);
  }

  static void CheckMetrics(const Host& host, Findings* findings) {
    const MetricsSettings& metrics = *host.metrics();
    CheckTls(host, {"address", host.ConfigPath(HostRole::kMetrics)},
             {metrics.backend, metrics.backend_name, metrics.ca, metrics.own},
             findings);
    CheckListening(host, "carme-metrics", metrics.listen_agents, findings);
    CheckListening(host, "carme-metrics", metrics.listen_clients, findings);
    const auto connected =
        ConnectToPeer(AddressOfUrl(metrics.database_url), host.resolver());
    if (connected.ok()) return;
    findings->push_back(
        {kDatabaseUnreachable,
         FormatMessage(host_check_messages::kDatabaseUnreachable,
                       {{"url", metrics.database_url},
                        {"cause", connected.status().message()}}),
         FormatMessage(host_check_messages::kDatabaseUnreachableRemedy,
                       {{"config", host.ConfigPath(HostRole::kMetrics)}})});
  }

  static void CheckListening(const Host& host, const std::string& program,
                             const std::string& listen, Findings* findings) {
    const auto connected = ConnectToPeer(LocalAddress(listen), host.resolver());
    if (connected.ok()) return;
    findings->push_back(
        {kNotListening,
         FormatMessage(host_check_messages::kNotListening,
                       {{"program", program},
                        {"address", listen},
                        {"cause", connected.status().message()}}),
         FormatMessage(host_check_messages::kProgramRemedy,
                       {{"program", program}})});
  }
};

}  // namespace

std::unique_ptr<Check> MakeNetworkCheck() {
  return std::make_unique<NetworkCheck>();
}

}  // namespace carme::carmectl
