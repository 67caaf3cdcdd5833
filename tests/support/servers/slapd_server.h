// A real slapd of a test's own, with TLS, on ports of its own.
#ifndef CARME_TESTS_SUPPORT_SERVERS_SLAPD_SERVER_H_
#define CARME_TESTS_SUPPORT_SERVERS_SLAPD_SERVER_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "backend/identity/ldap/ldap_config.h"
#include "tests/support/held_port.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_authority.h"

namespace carme {

// What a test's server has beside the usual.
struct SlapdOptions {
  std::string certificate_names = "IP:127.0.0.1";
  // Lines of slapd.conf before the database, access rules before the others,
  // and lines at the end of the database.
  std::string global_lines = {};
  std::string access_lines = {};
  std::string database_lines = {};
  std::string entries = {};  // LDIF
  // The only version that it speaks: "1.1". Empty: its own choice.
  std::string tls_version = {};
};

// In it, below dc=carme,dc=test: the people ada and bob of group carme-users,
// carol of carme-users and carme-admins, eve of neither; gil whose primary
// group is carme-users; root0 with uidNumber 0; twin twice. Each password is
// "password of NAME". cn=carme,ou=services may search, with kBindPassword;
// no client may without a bind, and no password is sent in the clear.
// Everybody may change their own.
class SlapdServer {
 public:
  static constexpr char kBindPassword[] = "the service's password";
  static constexpr char kBase[] = "dc=carme,dc=test";

  // Starts and waits until it answers. Throws with slapd's own words when it
  // does not.
  explicit SlapdServer(const SlapdOptions& options = {});
  SlapdServer(const SlapdServer&) = delete;
  SlapdServer& operator=(const SlapdServer&) = delete;
  ~SlapdServer();

  void Stop();
  void Start();  // on the same ports, with the same entries
  // Stops it, changes entries by LDIF with changetypes, starts it again.
  void Modify(const std::string& ldif);

  // LDIF of a person with the password "password of NAME"; `more` are lines of
  // the entry.
  static std::string Person(const std::string& name, int uid,
                            const std::string& more = "");
  // LDIF of a groupOfNames below ou=groups; `members` are RDNs, each below
  // dc=carme,dc=test: "uid=ada,ou=people", "cn=other,ou=groups".
  static std::string Group(const std::string& name,
                           const std::vector<std::string>& members);

  // A configuration that works, over ldaps.
  backend::LdapConfig Config() const;
  std::string LdapUrl() const;  // for StartTLS
  std::string LdapsUrl() const;
  std::string LdapiUrl() const;  // a unix socket
  std::string LdapiPath() const { return dir_.File("ldapi"); }
  const TestAuthority& authority() const { return authority_; }
  // Another file with the service's password.
  std::string PasswordFile(const std::string& name,
                           const std::string& password) const;

 private:
  void WriteConfiguration(const SlapdOptions& options);
  std::string TlsLines(const std::string& version) const;
  void LoadEntries(const SlapdOptions& options);
  bool Answers() const;
  std::string Log() const;

  TempDir dir_;
  TestAuthority authority_;
  const testing::HeldPort ldap_port_;
  const testing::HeldPort ldaps_port_;
  pid_t pid_ = 0;
};

}  // namespace carme

#endif  // CARME_TESTS_SUPPORT_SERVERS_SLAPD_SERVER_H_
