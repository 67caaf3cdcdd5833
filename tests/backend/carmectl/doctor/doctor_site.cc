#include "tests/backend/carmectl/doctor/doctor_site.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "backend/carmectl/doctor/host/peer_connection.h"
#include "backend/standby/lease_record.h"
#include "backend/store/database.h"
#include "carme/v1/routes.pb.h"
#include "common/crypto/digest_header.h"
#include "common/file.h"
#include "common/pki/certificate.h"

namespace carme::carmectl {
namespace {

namespace fs = std::filesystem;

void Require(bool ok, const std::string& what) {
  if (!ok) throw std::runtime_error(what);
}

// Made once: SQLite's syncs take longer than all else.
std::string DatabaseTemplate() {
  static const TempDir dir;
  static const bool made =
      backend::Database::Open(dir.File("carme.db"), backend::Migrations()).ok();
  Require(made, "no database");
  return dir.File("carme.db");
}

UniqueFd ListenOnPath(const std::string& path) {
  fs::create_directories(fs::path(path).parent_path());
  UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  Require(path.size() < sizeof(address.sun_path), "path too long");
  std::memcpy(address.sun_path, path.c_str(), path.size());
  Require(bind(fd.get(), reinterpret_cast<sockaddr*>(&address),
               sizeof(address)) == 0,
          "no socket at " + path);
  return fd;
}

}  // namespace

absl::StatusOr<std::vector<net::Address>> FakeNameResolver::Resolve(
    const std::string& host, int port) const {
  const size_t dot = host.find('.');
  const std::string wildcard =
      dot == std::string::npos ? "" : "*" + host.substr(dot);
  std::string ip = host;
  for (const std::string& name : {host, wildcard}) {
    const auto found = ips.find(name);
    if (found != ips.end()) ip = found->second;
  }
  const auto address = net::Address::FromIp(ip, port);
  if (!address.ok()) return absl::NotFoundError("the name has no address");
  return std::vector<net::Address>{*address};
}

DoctorSite::DoctorSite() : now_(absl::Now()) {
  umask(0022);
  signal(SIGPIPE, SIG_IGN);  // as carmectl does
  for (const char* const folder :
       {"etc", "pki", "state", "proxy-state", "metrics-state", "scratch", "bin",
        "opt/carme", "images/store", "images/incoming", "root"}) {
    fs::create_directories(File(folder));
  }
  WritePki();
  WriteState();
  WriteConfiguration();
  WriteSystem();
  WriteTools();
  options.config_directory = File("etc");
  options.tool_directories = {File("bin")};
  for (const HostRole role : {HostRole::kProxy, HostRole::kFrontend,
                              HostRole::kBackend, HostRole::kMetrics}) {
    options.accounts[role] = "root";  // which is root_uid
  }
  options.now = now_;
  options.clock_synchronized = true;
  options.free_space = {.full_bytes = 0, .low_bytes = 0, .low_inodes = 0};
  options.system_root = File("root");
  options.root_uid = geteuid();
  resolver.ips = {{"portal.test", "192.0.2.1"}, {"*.jobs.test", "192.0.2.1"}};
}

DoctorSite::~DoctorSite() = default;

DoctorReport DoctorSite::Report(const CheckSelection& selection) {
  const Host host(options, &resolver);
  auto report = RunChecks(host, selection);
  Require(report.ok(), std::string(report.status().message()));
  return *std::move(report);
}

std::vector<Finding> DoctorSite::Run(const std::string& check) {
  std::vector<Finding> all;
  CheckSelection selection;
  if (!check.empty()) selection.only = {check};
  for (const CheckResult& result : Report(selection).results) {
    all.insert(all.end(), result.findings.begin(), result.findings.end());
  }
  return all;
}

void DoctorSite::Write(const std::string& name, std::string_view text,
                       mode_t mode) {
  const std::string path = File(name);
  fs::create_directories(fs::path(path).parent_path());
  fs::remove(path);  // it may be read-only
  std::ofstream(path, std::ios::binary) << text;
  Require(chmod(path.c_str(), mode) == 0, "no file " + path);
}

void DoctorSite::Replace(const std::string& name, const std::string& from,
                         const std::string& to) {
  const auto text = ReadFile(File(name));
  Require(text.ok() && text->find(from) != std::string::npos,
          "\"" + from + "\" is not in " + name);
  std::ofstream(File(name)) << absl::StrReplaceAll(*text, {{from, to}});
}

void DoctorSite::Remove(const std::string& name) {
  Require(fs::remove_all(File(name)) > 0, "no file " + name);
}

void DoctorSite::SetMode(const std::string& name, mode_t mode) {
  Require(chmod(File(name).c_str(), mode) == 0, "no file " + name);
}

void DoctorSite::GiveAway(const std::string& name) {
  Require(chown(File(name).c_str(), 65534, 65534) == 0, "no file " + name);
}

void DoctorSite::WriteTool(const std::string& name, const std::string& script) {
  Write("bin/" + name, "#!/bin/sh\n" + script + "\n", 0755);
}

void DoctorSite::Issue(const CertificateOptions& issued) {
  const KeyPtr key = NewP256Key();
  KeyPtr other_key;
  X509Ptr other;
  Signer signer{authority_.get(), authority_key_.get()};
  if (issued.other_authority) {
    other_key = NewP256Key();
    auto made = MakeAuthorityCertificate(other_key.get(), now_,
                                         now_ + absl::Hours(24 * 1000));
    Require(made.ok(), "no other authority");
    other = *std::move(made);
    signer = {other.get(), other_key.get()};
  }
  const auto certificate = MakeProgramCertificate(
      signer, key.get(),
      {.identity = issued.identity,
       .dns_names = issued.dns_names,
       .is_server = issued.identity.role == MachineRole::kBackend,
       .now = now_ + issued.from,
       .until = now_ + issued.until});
  Require(certificate.ok(), "no certificate");
  Write(issued.stem + ".pem", ToPem(certificate->get()));
  Write(issued.stem + ".key", ToPem(key.get()), 0400);
}

void DoctorSite::Revoke(const std::string& certificate) {
  std::vector<IssuedEntry> entries;
  if (!certificate.empty()) {
    const auto pem = ReadFile(File(certificate));
    Require(pem.ok(), "no certificate " + certificate);
    entries.push_back({.serial = ReadCertificate(*pem)->serial,
                       .identity = {MachineRole::kProxy, "dmz"},
                       .dns_names = {},
                       .not_before = now_,
                       .not_after = now_ + absl::Hours(1),
                       .revoked_at = now_});
  }
  const auto list = MakeRevocationList({authority_.get(), authority_key_.get()},
                                       entries, now_);
  Require(list.ok(), "no revocation list");
  Write("pki/crl.pem", *list);
}

void DoctorSite::WriteLease(const std::string& host, absl::Duration age) {
  Require(backend::WriteLease(File("state"), {.holder = {.host = host,
                                                         .machine_id = "2",
                                                         .pid_namespace = "p",
                                                         .pid = 1}})
              .ok(),
          "no lease");
  const timespec time = absl::ToTimespec(now_ - age);
  const timespec times[] = {time, time};
  Require(
      utimensat(AT_FDCWD, File("state/backend.lease").c_str(), times, 0) == 0,
      "no time of the lease");
}

void DoctorSite::CloseBackendPort() {
  Replace("etc/backend.toml",
          "clients = \"127.0.0.1:", "clients = \"127.0.0.2:");
}

void DoctorSite::SetSchemaVersion(unsigned char version) {
  std::fstream file(File("state/carme.db"),
                    std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(60);  // the database header's user version, big-endian
  file.put(0).put(0).put(0).put(static_cast<char>(version));
}

void DoctorSite::WritePki() {
  authority_key_ = NewP256Key();
  auto authority =
      MakeAuthorityCertificate(authority_key_.get(), now_ - absl::Hours(9999),
                               now_ + absl::Hours(24 * 1000));
  Require(authority.ok(), "no authority");
  authority_ = *std::move(authority);
  Write("pki/ca.pem", ToPem(authority_.get()));
  Issue({.stem = "pki/backend",
         .identity = {MachineRole::kBackend, "head"},
         .dns_names = {"carme-backend"}});
  Issue({.stem = "pki/frontend", .identity = {MachineRole::kFrontend, "dmz"}});
  Issue({.stem = "pki/proxy", .identity = {MachineRole::kProxy, "dmz"}});
  Issue({.stem = "pki/cluster", .identity = {MachineRole::kCluster, "beta"}});
  Issue({.stem = "pki/metrics", .identity = {MachineRole::kMetrics, "head"}});
  Issue({.stem = "pki/public",
         .identity = {MachineRole::kProxy, "public"},
         .dns_names = {"portal.test", "*.jobs.test"}});
  Revoke("");
  const TlsListenerFiles files{File("pki/backend.pem"), File("pki/backend.key"),
                               File("pki/ca.pem")};
  clients_port_ = std::make_unique<TlsListener>(files);
  agents_port_ = std::make_unique<TlsListener>(
      TlsListenerFiles{files.certificate, files.key, ""});
  agents_port_->SetDate(now_);
  agents_port_->SetJobsDate(now_);
}

void DoctorSite::WriteConfiguration() {
  const std::string clients = "\"" + clients_port_->address() + "\"";
  const std::string agents = "\"" + agents_port_->address() + "\"";
  const std::string pki = "\"" + File("pki") + "/";
  const auto link = [&](const std::string& program) {
    return "[backend]\naddress = " + clients +
           "\nserver_name = \"carme-backend\"\nca = " + pki +
           "ca.pem\"\ncrl = " + pki + "crl.pem\"\ncertificate = " + pki +
           program + ".pem\"\nkey = " + pki + program + ".key\"\n";
  };
  Write("etc/proxy.toml",
        "listen = " + agents + "\nagents_listen = " + agents +
            "\nportal_host = \"portal.test\"\njobs_domain = \"jobs.test\"\n"
            "state_directory = \"" +
            File("proxy-state") + "\"\ncertificate = " + pki +
            "public.pem\"\nkey = " + pki + "public.key\"\n[frontend]\n" +
            "address = " + agents + "\n" + link("proxy"));
  Write("etc/frontend.toml",
        "portal = \"https://portal.test\"\n" + link("frontend"));
  Write("etc/backend.toml",
        "[listen]\nclients = " + clients + "\nagents = " + agents +
            "\n[tls]\ncertificate = " + pki + "backend.pem\"\nkey = " + pki +
            "backend.key\"\nclient_ca = " + pki + "ca.pem\"\nclient_crl = " +
            pki + "crl.pem\"\n[identity]\naddress = " + clients +
            "\nserver_name = \"carme-backend\"\nca = " + pki +
            "ca.pem\"\ncertificate = " + pki + "cluster.pem\"\nkey = " + pki +
            "cluster.key\"\n[state]\ndirectory = \"" + File("state") +
            "\"\n[portal]\nurl = \"https://" + agents_port_->address() +
            "/\"\njobs_domain = \"jobs.test\"\n[ldap]\nallowed_group = "
            "\"carme-users\"\n[slurm]\n"
            "feature = \"carme\"\n[shared_images]\ndirectory = \"" +
            File("images") + "\"\naccount = \"images\"\n[[images]]\npath = \"" +
            File("images/base.sif") + "\"\n");
  Write("etc/metrics.toml",
        "state_directory = \"" + File("metrics-state") +
            "\"\n[listen]\nagents = " + agents + "\nclients = " + clients +
            "\n[tls]\ncertificate = " + pki + "metrics.pem\"\nkey = " + pki +
            "metrics.key\"\nca = " + pki + "ca.pem\"\ncrl = " + pki +
            "crl.pem\"\n[backend]\naddress = " + clients +
            "\n[database]\nurl = \"http://" + agents_port_->address() +
            "/prefix\"\n");
  for (const char* const program : {"impersonator", "storage-reader"}) {
    Write("etc/" + std::string(program) + ".toml",
          "peer_user = \"carme\"\nallowed_group = \"carme-users\"\n");
  }
  Write("etc/agent.toml",
        "backend = " + agents + "\nbackend_name = \"carme-backend\"\nca = " +
            pki + "ca.pem\"\nscratch_directory = \"" + File("scratch") +
            "\"\napptainer = \"" + File("bin/apptainer") + "\"\n");
  Write("etc/environment.toml", "");
}

void DoctorSite::WriteRoutes(
    const std::vector<std::pair<std::string, int>>& agents) {
  v1::WatchRoutesResponse routes;
  routes.set_snapshot(true);
  for (const auto& [address, port] : agents) {
    v1::Route* const route = routes.add_routes();
    route->set_job_id(absl::StrCat(routes.routes_size()));
    route->set_address(address);
    route->set_port(port);
  }
  Write("proxy-state/routes",
        AddDigestHeader("carme-routes 1", routes.SerializeAsString()), 0600);
}

void DoctorSite::WriteState() {
  fs::copy_file(DatabaseTemplate(), File("state/carme.db"));
  SetMode("state", 0700);
  SetMode("proxy-state", 0700);
  SetMode("metrics-state", 0700);
  // The second agent connects to the proxy itself.
  WriteRoutes({{"127.0.0.1", ParseHostPort(agents_port_->address())->port},
               {"127.0.0.2", 0}});
  SetMode("images/store", 0711);
  SetMode("images/incoming", 01733);
  Write("images/base.sif", "image");
  for (const char* const hook : {"prolog", "epilog"}) {
    Write("opt/carme/" + std::string(hook), "#!/bin/sh\n", 0755);
  }
  for (const char* const file : {"spank_carme_env.so", "carme"}) {
    Write("opt/carme/" + std::string(file), "", 0755);
  }
  Write("slurm/plugstack.conf",
        "required " + File("opt/carme/spank_carme_env.so") + " " +
            File("opt/carme/carme") + " /usr/libexec/carme/carme-env-mount\n");
}

void DoctorSite::WriteSystem() {
  Write("root/dev/fuse", "", 0666);
  Write("root/proc/sys/user/max_user_namespaces", "65536\n");
  Write("root/sys/fs/cgroup/cgroup.controllers", "cpu memory\n");
  fs::create_directories(File("root/run/systemd/system"));
  for (const auto& [pid, program] :
       {std::pair("100", "carme-backend"), std::pair("200", "carme-proxy")}) {
    const std::string process = std::string("root/proc/") + pid;
    Write(process + "/limits",
          "Limit           Soft Limit   Hard Limit   Units\n"
          "Max open files  1048576      1048576      files\n");
    fs::create_symlink(std::string("/usr/sbin/") + program,
                       File(process + "/exe"));
    fs::create_directories(File(process + "/fd"));
  }
  fs::create_symlink(File("state/carme.db"), File("root/proc/100/fd/7"));
  for (const char* const program :
       {"carme-impersonator", "carme-storage-reader"}) {
    sockets_.push_back(
        ListenOnPath(File(std::string("root/run/") + program + "/socket")));
  }
}

void DoctorSite::WriteTools() {
  for (const char* const program :
       {"carme-proxy", "carme-frontend", "carme-backend", "carme-impersonator",
        "carme-storage-reader", "carme-metrics", "carme-agent", "apptainer",
        "unmunge"}) {
    WriteTool(program, "exit 0");
  }
  WriteTool("munge", "echo MUNGE:credential:");
  WriteTool("srun",
            "echo cgroup=yes; echo job=7; echo credential=MUNGE:node:\n"
            "echo \"time=$(/bin/date +%s)\"");
  Write("slurm/config",
        "Configuration data as of 2026-11-23T18:00:00\n"
        "ClusterName             = test\n"
        "Epilog                  = " +
            File("opt/carme/epilog") +
            "\nProlog                  = " + File("opt/carme/prolog") +
            "\n"
            "ProctrackType           = proctrack/cgroup\n"
            "PrologFlags             = Alloc\n"
            "SLURM_CONF              = " +
            File("slurm/slurm.conf") +
            "\n"
            "SLURM_VERSION           = 22.05.8\n"
            "SrunPortRange           = 60001-60100\n"
            "TaskPlugin              = task/cgroup,task/affinity\n\n"
            "Cgroup Support Configuration:\n"
            "CgroupPlugin            = cgroup/v2\n"
            "ConstrainDevices        = yes\n"
            "ConstrainRAMSpace       = yes\n");
  Write("slurm/nodes",
        "NodeName=n1 Arch=x86_64 AvailableFeatures=carme,cuda-12.4 "
        "ActiveFeatures=carme\n");
  const std::string time =
      absl::FormatTime("%Y-%m-%d%ET%H:%M:%S", now_, absl::UTCTimeZone());
  WriteTool("scontrol", "case \"$*\" in\n'show config') /bin/cat '" +
                            File("slurm/config") + "' ;;\n*nodes) /bin/cat '" +
                            File("slurm/nodes") +
                            "' ;;\n*partitions) echo last_update_time=" + time +
                            ", records=1 ;;\n--version) echo slurm-wlm "
                            "22.05.8 ;;\n'show job 7') echo 'JobId=7 "
                            "JobState=COMPLETED StartTime=" +
                            time + "' ;;\n*) exit 1 ;;\nesac");
  WriteTool("getent",
            "case \"$*\" in\n'group carme-users') echo "
            "carme-users:*:20100:ada,bob ;;\n"
            "'passwd ada') echo ada:*:20001:20001::/home/ada:/bin/sh ;;\n"
            "'passwd bob') echo bob:*:20002:20002::/home/bob:/bin/sh ;;\n"
            "'passwd images') echo images:*:" +
                std::to_string(geteuid()) +
                ":1::/:/bin/false ;;\n*) exit 2 ;;\nesac");
  WriteTool("carme-directory-probe",
            "printf 'server\\tldaps://ldap.test\\tok\\n"
            "group\\tcarme-users\\tok\\n'\nshift\n"
            "for user; do case $user in\n"
            "ada) printf 'user\\tada\\t20001\\n' ;;\n"
            "bob) printf 'user\\tbob\\t20002\\n' ;;\n"
            "*) printf 'user\\t%s\\tnot found\\n' \"$user\" ;;\nesac; done");
  Write("ruleset",
        "table inet filter {\n chain input {\n  type filter hook input "
        "priority filter; policy accept;\n  tcp dport { 9443, 34000-34999 } ip "
        "saddr != 192.0.2.1 drop\n }\n}\n");
  WriteTool("nft", "/bin/cat '" + File("ruleset") + "'");
  WriteTool("systemctl",
            "printf 'LoadState=loaded\\nActiveState=active\\n"
            "SubState=running\\nUnitFileState=enabled\\n'");
}

}  // namespace carme::carmectl
