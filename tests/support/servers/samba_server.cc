#include "tests/support/servers/samba_server.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "backend/identity/ldap/active_directory.h"
#include "common/file.h"
#include "tests/support/servers/private_host.h"
#include "tests/support/signals.h"
#include "tests/support/wait_for.h"

extern char** environ;

namespace carme {
namespace {

using testing::kWaitTimeout;
constexpr char kOwnAccount[] = "carme";

std::string Dn(const std::string& rdns) {
  return absl::StrCat(rdns, ",", SambaServer::kBase);
}

std::string Account(const std::string& dn, const std::string& name,
                    const std::string& more) {
  return absl::StrCat(
      "dn: ", dn, "\nobjectClass: user\nsAMAccountName: ", name,
      "\nuserPrincipalName: ", name, "@site.test\nunicodePwd:: ",
      absl::Base64Escape(
          backend::EncodeUnicodePwd("password of " + name).value()),
      "\n",
      absl::StrContains(more, "userAccountControl:")
          ? ""
          : "userAccountControl: 512\n",
      more, "\n");
}

std::string DomainEntries() {
  std::string ldif =
      absl::StrCat("dn: ", SambaServer::kBase, "\nchangetype: modify\n");
  for (const char* rule : {"pwdProperties", "minPwdAge", "minPwdLength",
                           "pwdHistoryLength", "lockoutThreshold"}) {
    absl::StrAppend(&ldif, "replace: ", rule, "\n", rule, ": 0\n-\n");
  }
  ldif += "\n";
  for (const char* unit : {"People", "Groups", "Services"}) {
    absl::StrAppend(&ldif, "dn: ", Dn(absl::StrCat("OU=", unit)),
                    "\nobjectClass: organizationalUnit\n\n");
  }
  return ldif + Account(Dn("CN=carme,OU=Services"), kOwnAccount, "");
}

// Times are in ticks of 100 ns, negative ones.
std::string Ticks(int seconds) {
  return absl::StrCat(-int64_t{10'000'000} * seconds);
}

bool Accepts(int port) {
  const UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return connect(fd.get(), reinterpret_cast<sockaddr*>(&address),
                 sizeof address) == 0;
}

}  // namespace

SambaServer::SambaServer(const std::string& entries) {
  EnterPrivateHost();
  WriteConfiguration();
  Provision(entries);
  Start();
}

SambaServer::~SambaServer() {
  if (pid_ == 0) return;
  testing::Signal(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

std::string SambaServer::DnOf(const std::string& person) {
  return Dn(absl::StrCat("CN=Dr. ", person, ",OU=People"));
}

std::string SambaServer::Person(const std::string& name,
                                const std::string& more) {
  return Account(DnOf(name), name, more);
}

std::string SambaServer::Group(const std::string& name,
                               const std::vector<std::string>& members) {
  std::string ldif =
      absl::StrCat("dn: ", Dn(absl::StrCat("CN=", name, ",OU=Groups")),
                   "\nobjectClass: group\nsAMAccountName: ", name, "\n");
  for (const std::string& member : members) {
    absl::StrAppend(&ldif, "member: ", Dn(member), "\n");
  }
  return ldif + "\n";
}

std::string SambaServer::Rules(const std::string& person,
                               const SambaRules& rules) {
  return absl::StrCat(
      "dn: ",
      Dn(absl::StrCat("CN=", person,
                      ",CN=Password Settings Container,CN=System")),
      "\nobjectClass: msDS-PasswordSettings\n"
      "msDS-PasswordSettingsPrecedence: 1\n"
      "msDS-PasswordReversibleEncryptionEnabled: FALSE\n"
      "msDS-PasswordHistoryLength: ",
      rules.history,
      "\nmsDS-PasswordComplexityEnabled: ", rules.complex ? "TRUE" : "FALSE",
      "\nmsDS-MinimumPasswordLength: ", rules.min_length,
      "\nmsDS-MinimumPasswordAge: ", Ticks(rules.min_age_s),
      "\nmsDS-MaximumPasswordAge: ", Ticks(42 * 86400),
      "\nmsDS-LockoutThreshold: ", rules.lockout_after,
      "\nmsDS-LockoutObservationWindow: ", Ticks(1800),
      "\nmsDS-LockoutDuration: ", Ticks(1800),
      "\nmsDS-PSOAppliesTo: ", DnOf(person), "\n\n");
}

std::string SambaServer::WriteFile(const std::string& name,
                                   const std::string& text) const {
  const std::string path = dir_.File(name);
  if (absl::Status written = carme::WriteFile(path, text, 0600);
      !written.ok()) {
    throw std::runtime_error(written.ToString());
  }
  return path;
}

void SambaServer::WriteConfiguration() {
  const IssuedCertificate own =
      authority_.Issue("dc1.site.test", "DNS:dc1.site.test,IP:127.0.0.1");
  std::string text = absl::StrCat(
      "[global]\nnetbios name = DC1\nrealm = SITE.TEST\nworkgroup = SITE\n"
      "server role = active directory domain controller\n"
      "server services = ldap\ninterfaces = lo\nbind interfaces only = yes\n"
      "tls cafile = ",
      authority_.ca_file(), "\ntls certfile = ", own.certificate_file,
      "\ntls keyfile = ", own.key_file, "\nlog file = ", dir_.File("log"),
      "\n");
  for (const char* place :
       {"private dir", "binddns dir", "ncalrpc dir", "state directory",
        "cache directory", "lock directory", "pid directory"}) {
    const std::string path =
        dir_.File(absl::StrReplaceAll(place, {{" ", "-"}}));
    std::filesystem::create_directory(path);
    absl::StrAppend(&text, place, " = ", path, "\n");
  }
  // Provisioning wants a place for them; nothing serves them.
  absl::StrAppend(&text, "[sysvol]\npath = ", dir_.File("sysvol"),
                  "\n[netlogon]\npath = ", dir_.File("sysvol"), "/scripts\n");
  WriteFile("smb.conf", text);
  WriteFile("bind-password", absl::StrCat("password of ", kOwnAccount, "\n"));
}

void SambaServer::Provision(const std::string& entries) const {
  const std::string ldif = WriteFile("entries.ldif", DomainEntries() + entries);
  const std::string line =
      absl::StrCat("/usr/bin/python3 " CARME_SOURCE
                   "/tests/support/servers/samba_provision.py ",
                   dir_.File("smb.conf"), " ", ldif, " > ",
                   dir_.File("provision.log"), " 2>&1");
  if (std::system(line.c_str()) != 0) Fail("no domain", "provision.log");
}

void SambaServer::Start() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  const UniqueFd life(ends[0]);
  lifeline_ = UniqueFd(ends[1]);
  // One process, a child of ours, which ends when its standard input does.
  std::vector<std::string> words = {"/usr/sbin/samba",    "--foreground",
                                    "--model=single",     "--no-process-group",
                                    "--debug-stdout",     "-s",
                                    dir_.File("smb.conf")};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, life.get(), STDIN_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO,
                                   dir_.File("samba.log").c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0600);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  const int failed = posix_spawn(&pid_, words.front().c_str(), &actions,
                                 nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("samba cannot be started");
  const absl::Time deadline = absl::Now() + kWaitTimeout;
  while (!Accepts(636)) {
    if (absl::Now() > deadline || waitpid(pid_, nullptr, WNOHANG) != 0) {
      Fail("samba does not answer", "samba.log");
    }
    absl::SleepFor(absl::Milliseconds(20));
  }
}

void SambaServer::Fail(const std::string& what, const std::string& log) const {
  throw std::runtime_error(
      absl::StrCat(what, ":\n", ReadFile(dir_.File(log)).value_or("")));
}

backend::LdapConfig SambaServer::Config() const {
  backend::LdapConfig config;
  config.url = LdapsUrl();
  config.ca_file = authority_.ca_file();
  config.bind_dn = Dn("CN=carme,OU=Services");
  config.bind_password_file = dir_.File("bind-password");
  config.user_base = Dn("OU=People");
  config.user_filter =
      "(&(objectCategory=person)(objectClass=user)"
      "(|(sAMAccountName=%s)(userPrincipalName=%s))"
      "(!(userAccountControl:1.2.840.113556.1.4.803:=2)))";
  config.name_attribute = "sAMAccountName";
  config.group_base = Dn("OU=Groups");
  config.group_filter = "";
  config.nested_groups = backend::NestedGroups::kInChain;
  config.allowed_group = "*";
  config.timeout = absl::Seconds(60);  // it is slow with many groups
  config.password_change = backend::PasswordChange::kActiveDirectory;
  return config;
}

}  // namespace carme
