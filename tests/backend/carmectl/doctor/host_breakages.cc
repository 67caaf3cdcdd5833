// Breakages of this host's files, certificates and connections.
#include <climits>
#include <filesystem>

#include "tests/backend/carmectl/doctor/doctor_site.h"

namespace carme::carmectl {
namespace {

constexpr char kProxyFile[] = "etc/proxy.toml";

MachineIdentity ProxyIdentity() { return {MachineRole::kProxy, "dmz"}; }

const std::vector<Breakage> kFileBreakages = {
    {"configuration-invalid", "configuration",
     [](DoctorSite& site) {
       site.WriteTool("carme-proxy", "echo 'unknown key \"x\"' >&2; exit 1");
     }},
    {"configuration-invalid", "configuration",
     [](DoctorSite& site) {
       site.WriteTool("carme-proxy", "exit 1");  // without a reason
     }},
    {"configuration-warning", "configuration",
     [](DoctorSite& site) {
       site.WriteTool("carme-proxy", "echo 'one site for jobs' >&2");
     }},
    {"configuration-not-checked", "configuration",
     [](DoctorSite& site) { site.Remove("bin/carme-agent"); }},
    {"version-differs", "configuration",
     [](DoctorSite& site) {
       site.WriteTool("carme-backend",
                      "[ $1 != --version ] || echo carme-backend 99.0.0");
     }},
    {"configuration-writable", "configuration",
     [](DoctorSite& site) { site.SetMode(kProxyFile, 0666); }},
    {"configuration-writable", "configuration",
     [](DoctorSite& site) { site.SetMode("etc", 0777); }},
    {"secret-missing", "secrets",
     [](DoctorSite& site) { site.Remove("pki/frontend.key"); }},
    {"secret-exposed", "secrets",
     [](DoctorSite& site) { site.SetMode("pki/backend.key", 0444); }},
    {"secret-unreadable", "secrets",
     [](DoctorSite& site) { site.SetMode("pki/proxy.key", 0); }},
    {"account-missing", "secrets",
     [](DoctorSite& site) {
       site.options.accounts[HostRole::kProxy] = "no-such-account";
     }},
    {"state-directory-missing", "state-directory",
     [](DoctorSite& site) { site.Remove("proxy-state"); }},
    {"state-directory-not-private", "state-directory",
     [](DoctorSite& site) { site.SetMode("state", 0755); }},
    {"state-directory-not-private", "state-directory",
     [](DoctorSite& site) { site.options.root_uid += 1; }},
    {"state-file-owner", "state-directory",
     [](DoctorSite& site) { site.GiveAway("state/carme.db"); }, true},
    {"database-missing", "database",
     [](DoctorSite& site) { site.Remove("state/carme.db"); }},
    {"database-damaged", "database",
     [](DoctorSite& site) {
       site.Write("state/carme.db", std::string(8192, 'x'), 0600);
     }},
    {"database-older", "database",
     [](DoctorSite& site) { site.SetSchemaVersion(1); }},
    {"database-newer", "database",
     [](DoctorSite& site) { site.SetSchemaVersion(255); }},
    {"disk-full", "disk",
     [](DoctorSite& site) {
       site.options.free_space = {LLONG_MAX, LLONG_MAX, 0};
     }},
    {"disk-space-low", "disk",
     [](DoctorSite& site) {
       site.options.free_space = {0, LLONG_MAX, 0};
     }},
    {"inodes-low", "disk",
     [](DoctorSite& site) {
       site.options.free_space = {0, 0, LLONG_MAX};
     }},
    {"disk-not-checked", "disk",
     [](DoctorSite& site) { site.Remove("scratch"); }},
    {"descriptor-limit-low", "descriptors",
     [](DoctorSite& site) {
       site.Replace("root/proc/100/limits", "1048576", "1024");
     }},
    {"two-backends", "processes",
     [](DoctorSite& site) {
       std::filesystem::copy(site.File("root/proc/100"),
                             site.File("root/proc/101"),
                             std::filesystem::copy_options::recursive |
                                 std::filesystem::copy_options::copy_symlinks);
     }},
    {"two-backends", "processes",
     [](DoctorSite& site) { site.WriteLease("head2"); }},
    {"root-program-socket", "processes",
     [](DoctorSite& site) {
       site.Remove("root/run/carme-impersonator/socket");
     }},
    {"unit-not-active", "units",
     [](DoctorSite& site) {
       site.WriteTool("systemctl",
                      "echo ActiveState=failed; echo SubState=failed");
     }},
    {"unit-disabled", "units",
     [](DoctorSite& site) {
       site.WriteTool("systemctl",
                      "echo ActiveState=active; echo UnitFileState=disabled");
     }},
    {"units-not-checked", "units",
     [](DoctorSite& site) { site.Remove("root/run/systemd"); }},
    {"firewall-port-unlimited", "firewall",
     [](DoctorSite& site) { site.Replace("ruleset", "34999", "34500"); }},
    {"firewall-not-checked", "firewall",
     [](DoctorSite& site) {
       site.WriteTool("nft", "echo 'Operation not permitted' >&2; exit 1");
     }},
};

const std::vector<Breakage> kCertificateBreakages = {
    {"certificate-unreadable", "certificates",
     [](DoctorSite& site) { site.Remove("pki/backend.pem"); }},
    {"certificate-expired", "certificates",
     [](DoctorSite& site) {
       site.Issue({.stem = "pki/proxy",
                   .identity = ProxyIdentity(),
                   .from = -absl::Hours(2),
                   .until = -absl::Hours(1)});
     }},
    {"certificate-expiring", "certificates",
     [](DoctorSite& site) {
       site.Issue({.stem = "pki/proxy",
                   .identity = ProxyIdentity(),
                   .until = absl::Hours(24 * 13)});
     }},
    {"certificate-not-yet-valid", "certificates",
     [](DoctorSite& site) {
       site.Issue({.stem = "pki/proxy",
                   .identity = ProxyIdentity(),
                   .from = absl::Hours(1)});
     }},
    {"certificate-key-mismatch", "certificates",
     [](DoctorSite& site) {
       site.Issue({.stem = "pki/other", .identity = ProxyIdentity()});
       std::filesystem::rename(site.File("pki/other.key"),
                               site.File("pki/proxy.key"));
     }},
    {"certificate-untrusted", "certificates",
     [](DoctorSite& site) {
       site.Issue({.stem = "pki/proxy",
                   .identity = ProxyIdentity(),
                   .other_authority = true});
     }},
    {"certificate-wrong-role", "certificates",
     [](DoctorSite& site) {
       site.Issue(
           {.stem = "pki/proxy", .identity = {MachineRole::kFrontend, "dmz"}});
     }},
    {"certificate-wrong-role", "certificates",
     [](DoctorSite& site) {
       site.Issue({.stem = "pki/cluster",
                   .identity = {MachineRole::kFrontend, "dmz"}});
     }},
    {"secret-exposed", "secrets",
     [](DoctorSite& site) { site.SetMode("pki/cluster.key", 0444); }},
    {"certificate-without-name", "certificates",
     [](DoctorSite& site) {
       site.Issue({.stem = "pki/backend",
                   .identity = {MachineRole::kBackend, "head"}});
     }},
    {"certificate-revoked", "certificates",
     [](DoctorSite& site) { site.Revoke("pki/proxy.pem"); }},
    {"authority-unreadable", "certificates",
     [](DoctorSite& site) { site.Write("pki/ca.pem", "not PEM"); }},
    {"revocation-list-unreadable", "certificates",
     [](DoctorSite& site) { site.Write("pki/crl.pem", "not PEM"); }},
    {"public-certificate-unreadable", "public-certificate",
     [](DoctorSite& site) { site.Write("pki/public.pem", "not PEM"); }},
    {"public-certificate-expired", "public-certificate",
     [](DoctorSite& site) { site.options.now += absl::Hours(24 * 101); }},
    {"public-certificate-expiring", "public-certificate",
     [](DoctorSite& site) { site.options.now += absl::Hours(24 * 90); }},
    {"public-certificate-key-mismatch", "public-certificate",
     [](DoctorSite& site) {
       std::filesystem::rename(site.File("pki/proxy.key"),
                               site.File("pki/public.key"));
     }},
    {"public-certificate-names", "public-certificate",
     [](DoctorSite& site) {
       site.Replace(kProxyFile, "\"jobs.test\"", "\"a.jobs.test\"");
     }},
};

const std::vector<Breakage> kConnectionBreakages = {
    {"clock-unsynchronized", "clock",
     [](DoctorSite& site) { site.options.clock_synchronized = false; }},
    {"clock-skew", "clock",
     [](DoctorSite& site) {
       site.portal().SetDate(site.options.now + absl::Seconds(20));
     }},
    {"clock-wrong", "clock",
     [](DoctorSite& site) {
       site.portal().SetDate(site.options.now - absl::Minutes(5));
     }},
    {"clock-wrong", "clock",
     [](DoctorSite& site) {
       site.portal().SetJobsDate(site.options.now + absl::Minutes(5));
     }},
    {"clock-not-compared", "clock",
     [](DoctorSite& site) { site.Remove("bin/scontrol"); }},
    {"name-unresolved", "network",
     [](DoctorSite& site) {
       site.Replace("etc/agent.toml", "backend = \"127.0.0.1",
                    "backend = \"nowhere.test");
     }},
    {"port-unreachable", "network",
     [](DoctorSite& site) {
       site.Write("etc/agent.toml",
                  "backend = \"127.0.0.1:1\"\nbackend_name = \"x\"\n");
     }},
    {"tls-refused", "network",  // the name in the backend's certificate
     [](DoctorSite& site) {
       site.Replace("etc/frontend.toml", "carme-backend", "other-backend");
     }},
    {"tls-refused", "network",  // the backend refuses the client's certificate
     [](DoctorSite& site) {
       site.Issue({.stem = "pki/proxy",
                   .identity = ProxyIdentity(),
                   .other_authority = true});
     }},
    {"port-unreachable", "network",  // the identity backend
     [](DoctorSite& site) {
       site.Replace("etc/backend.toml", "[identity]\naddress = \"127.0.0.1:",
                    "[identity]\naddress = \"127.0.0.2:");
     }},
    {"port-not-listening", "network",
     [](DoctorSite& site) {
       site.Replace(kProxyFile,
                    "listen = \"127.0.0.1:", "listen = \"127.0.0.2:");
     }},
    {"metrics-database-unreachable", "network",
     [](DoctorSite& site) {
       site.Replace("etc/metrics.toml",
                    "http://127.0.0.1:", "http://127.0.0.2:");
     }},
    {"port-not-listening", "network",  // carme-metrics
     [](DoctorSite& site) {
       site.Replace("etc/metrics.toml",
                    "agents = \"127.0.0.1:", "agents = \"127.0.0.2:");
     }},
    {"certificate-wrong-role", "certificates",
     [](DoctorSite& site) {
       site.Issue({.stem = "pki/metrics", .identity = ProxyIdentity()});
     }},
    {"state-directory-not-private", "state-directory",
     [](DoctorSite& site) { site.SetMode("metrics-state", 0755); }},
    {"agent-unreachable", "agents",
     [](DoctorSite& site) {
       site.WriteRoutes({{"127.0.0.1", 1}});  // nothing listens
     }},
    {"routes-not-read", "agents",
     [](DoctorSite& site) {
       site.Replace("proxy-state/routes", "carme-routes 1", "carme-routes 2");
     }},
    {"backend-is-standby", "network",
     [](DoctorSite& site) {
       site.WriteLease("head2");
       site.CloseBackendPort();
     }},
    {"portal-name-unresolved", "jobs-domain",
     [](DoctorSite& site) { site.resolver.ips.erase("portal.test"); }},
    {"jobs-name-unresolved", "jobs-domain",
     [](DoctorSite& site) { site.resolver.ips.erase("*.jobs.test"); }},
    {"jobs-name-elsewhere", "jobs-domain",
     [](DoctorSite& site) { site.resolver.ips["*.jobs.test"] = "192.0.2.2"; }},
};

}  // namespace

const std::vector<Breakage>& HostBreakages() {
  static const auto* const all = [] {
    auto* const rows = new std::vector<Breakage>(kFileBreakages);
    for (const auto* const more :
         {&kCertificateBreakages, &kConnectionBreakages}) {
      rows->insert(rows->end(), more->begin(), more->end());
    }
    return rows;
  }();
  return *all;
}

}  // namespace carme::carmectl
