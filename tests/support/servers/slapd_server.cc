#include "tests/support/servers/slapd_server.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "common/file.h"
#include "common/unique_fd.h"
#include "tests/support/signals.h"
#include "tests/support/wait_for.h"

extern char** environ;

namespace carme {
namespace {

using testing::kWaitTimeout;

void Write(const std::string& path, const std::string& text) {
  if (absl::Status written = WriteFile(path, text, 0600); !written.ok()) {
    throw std::runtime_error(written.ToString());
  }
}

std::string Unit(const std::string& name) {
  return absl::StrCat("dn: ou=", name, ",dc=carme,dc=test\n",
                      "objectClass: organizationalUnit\nou: ", name, "\n\n");
}

// A person whose primary group is carme-users.
std::string User(const std::string& name, int uid) {
  return absl::StrReplaceAll(
      SlapdServer::Person(name, uid),
      {{absl::StrCat("gidNumber: ", uid), "gidNumber: 30001"}});
}

std::string Entries() {
  std::string ldif =
      "dn: dc=carme,dc=test\nobjectClass: dcObject\n"
      "objectClass: organization\no: test\ndc: carme\n\n";
  for (const char* unit : {"people", "guests", "groups", "services"}) {
    absl::StrAppend(&ldif, Unit(unit));
  }
  absl::StrAppend(
      &ldif,
      "dn: cn=carme,ou=services,dc=carme,dc=test\n"
      "objectClass: organizationalRole\nobjectClass: simpleSecurityObject\n"
      "cn: carme\nuserPassword: ",
      SlapdServer::kBindPassword, "\n\n", SlapdServer::Person("ada", 20001),
      SlapdServer::Person("bob", 20002), SlapdServer::Person("carol", 20003),
      SlapdServer::Person("eve", 20004), User("gil", 20005),
      SlapdServer::Person("root0", 0), User("twin", 20006));
  absl::StrAppend(&ldif, absl::StrReplaceAll(User("twin", 20007),
                                             {{"ou=people", "ou=guests"}}));
  absl::StrAppend(
      &ldif,
      "dn: cn=carme-users,ou=groups,dc=carme,dc=test\n"
      "objectClass: posixGroup\ncn: carme-users\ngidNumber: 30001\n"
      "memberUid: ada\nmemberUid: bob\nmemberUid: carol\nmemberUid: root0\n\n"
      "dn: cn=carme-admins,ou=groups,dc=carme,dc=test\n"
      "objectClass: groupOfNames\ncn: carme-admins\n"
      "member: uid=carol,ou=people,dc=carme,dc=test\n\n");
  return ldif;
}

void Run(const std::string& command, const std::string& log) {
  const std::string line = absl::StrCat(command, " > ", log, " 2>&1");
  if (std::system(line.c_str()) != 0) {
    throw std::runtime_error(
        absl::StrCat(command, ":\n", ReadFile(log).value_or("")));
  }
}

}  // namespace

SlapdServer::SlapdServer(const SlapdOptions& options) {
  WriteConfiguration(options);
  LoadEntries(options);
  PasswordFile("bind-password", kBindPassword);
  try {
    Start();
  } catch (const std::runtime_error&) {
    Stop();  // nobody else would
    throw;
  }
}

SlapdServer::~SlapdServer() { Stop(); }

void SlapdServer::WriteConfiguration(const SlapdOptions& options) {
  const IssuedCertificate own =
      authority_.Issue("slapd", options.certificate_names);
  std::string text;
  for (const char* schema : {"core", "cosine", "nis", "inetorgperson"}) {
    absl::StrAppend(&text, "include /etc/ldap/schema/", schema, ".schema\n");
  }
  absl::StrAppend(
      &text, "modulepath /usr/lib/ldap\nmoduleload back_mdb\n",
      "TLSCACertificateFile ", authority_.ca_file(), "\nTLSCertificateFile ",
      own.certificate_file, "\nTLSCertificateKeyFile ", own.key_file, "\n",
      TlsLines(options.tls_version), options.global_lines,
      "\nlocalSSF 128\nsecurity simple_bind=128\ndatabase mdb\nsuffix \"",
      kBase, "\"\ndirectory ", dir_.path(), "\n", options.access_lines,
      "\naccess to attrs=userPassword by self =xw by anonymous auth by * none\n"
      "access to * by dn.children=\"ou=services,",
      kBase, "\" read by * auth\n", options.database_lines, "\n");
  Write(dir_.File("slapd.conf"), text);
}

// Debian 12's slapd uses GnuTLS, that of Debian 13 OpenSSL, which has no line
// of slapd.conf for the highest version.
std::string SlapdServer::TlsLines(const std::string& version) const {
  if (version.empty()) return "";
  if (std::system("ldd /usr/sbin/slapd | grep -q libgnutls") == 0) {
    return absl::StrCat("TLSCipherSuite NORMAL:-VERS-ALL:+VERS-TLS", version,
                        "\n");
  }
  Write(dir_.File("openssl.cnf"),
        absl::StrCat("openssl_conf = all\n[all]\nssl_conf = ssl\n[ssl]\n"
                     "system_default = tls\n[tls]\nMinProtocol = TLSv",
                     version, "\nMaxProtocol = TLSv", version,
                     "\nCipherString = DEFAULT@SECLEVEL=0\n"));
  return "";
}

void SlapdServer::LoadEntries(const SlapdOptions& options) {
  Write(dir_.File("entries.ldif"), Entries() + options.entries);
  Run(absl::StrCat("/usr/sbin/slapadd -q -f ", dir_.File("slapd.conf"), " -l ",
                   dir_.File("entries.ldif")),
      dir_.File("slapadd.log"));
}

void SlapdServer::Modify(const std::string& ldif) {
  Stop();
  Write(dir_.File("changes.ldif"), ldif);
  Run(absl::StrCat("/usr/sbin/slapmodify -q -f ", dir_.File("slapd.conf"),
                   " -l ", dir_.File("changes.ldif")),
      dir_.File("slapmodify.log"));
  Start();
}

std::string SlapdServer::Person(const std::string& name, int uid,
                                const std::string& more) {
  return absl::StrCat("dn: uid=", name, ",ou=people,", kBase,
                      "\nobjectClass: inetOrgPerson\n"
                      "objectClass: posixAccount\ncn: Dr. ",
                      name, "\nsn: ", name, "\nuid: ", name,
                      "\nuidNumber: ", uid, "\ngidNumber: ", uid,
                      "\nhomeDirectory: /home/", name,
                      "\nuserPassword: password of ", name, "\n", more, "\n");
}

std::string SlapdServer::Group(const std::string& name,
                               const std::vector<std::string>& members) {
  std::string ldif =
      absl::StrCat("dn: cn=", name, ",ou=groups,", kBase,
                   "\nobjectClass: groupOfNames\ncn: ", name, "\n");
  for (const std::string& member : members) {
    absl::StrAppend(&ldif, "member: ", member, ",", kBase, "\n");
  }
  return ldif + "\n";
}

std::string SlapdServer::PasswordFile(const std::string& name,
                                      const std::string& password) const {
  Write(dir_.File(name), password + "\n");
  return dir_.File(name);
}

void SlapdServer::Start() {
  const std::string urls =
      absl::StrCat(LdapUrl(), " ", LdapsUrl(), " ", LdapiUrl());
  const std::string conf = dir_.File("slapd.conf");
  // -d 0 keeps it in the foreground, a child of ours.
  std::vector<std::string> words = {
      "/usr/sbin/slapd", "-d", "0", "-f", conf, "-h", urls};
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  std::vector<char*> environment;
  for (char** each = environ; *each != nullptr; ++each) {
    environment.push_back(*each);
  }
  std::string openssl = absl::StrCat("OPENSSL_CONF=", dir_.File("openssl.cnf"));
  if (access(dir_.File("openssl.cnf").c_str(), F_OK) == 0) {
    environment.push_back(openssl.data());
  }
  environment.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO,
                                   dir_.File("slapd.log").c_str(),
                                   O_WRONLY | O_CREAT | O_APPEND, 0600);
  const int failed = posix_spawn(&pid_, "/usr/sbin/slapd", &actions, nullptr,
                                 arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) throw std::runtime_error("slapd cannot be started");
  const absl::Time deadline = absl::Now() + kWaitTimeout;
  while (!Answers()) {
    if (absl::Now() > deadline || waitpid(pid_, nullptr, WNOHANG) != 0) {
      throw std::runtime_error("slapd does not answer:\n" + Log());
    }
    absl::SleepFor(absl::Milliseconds(10));
  }
}

void SlapdServer::Stop() {
  if (pid_ == 0) return;
  testing::Signal(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = 0;
  unlink(dir_.File("ldapi").c_str());
}

// It opens all its sockets before it accepts on the first.
bool SlapdServer::Answers() const {
  UniqueFd fd(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  dir_.File("ldapi").copy(address.sun_path, sizeof address.sun_path - 1);
  return connect(fd.get(), reinterpret_cast<sockaddr*>(&address),
                 sizeof address) == 0;
}

std::string SlapdServer::Log() const {
  return ReadFile(dir_.File("slapd.log")).value_or("");
}

std::string SlapdServer::LdapUrl() const {
  return absl::StrCat("ldap://127.0.0.1:", ldap_port_.number());
}
std::string SlapdServer::LdapsUrl() const {
  return absl::StrCat("ldaps://127.0.0.1:", ldaps_port_.number());
}
std::string SlapdServer::LdapiUrl() const {
  return absl::StrCat("ldapi://",
                      absl::StrReplaceAll(dir_.File("ldapi"), {{"/", "%2F"}}));
}

backend::LdapConfig SlapdServer::Config() const {
  backend::LdapConfig config;
  config.url = LdapsUrl();
  config.ca_file = authority_.ca_file();
  config.bind_dn = absl::StrCat("cn=carme,ou=services,", kBase);
  config.bind_password_file = dir_.File("bind-password");
  config.user_base = absl::StrCat("ou=people,", kBase);
  config.group_base = absl::StrCat("ou=groups,", kBase);
  config.allowed_group = "carme-users";
  config.admin_group = "carme-admins";
  config.connect_timeout = absl::Seconds(60);
  config.timeout = absl::Seconds(60);
  return config;
}

}  // namespace carme
