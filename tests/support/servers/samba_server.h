// A real domain controller of a test's own: Samba's, with nothing but LDAP.
#ifndef CARME_TESTS_SUPPORT_SERVERS_SAMBA_SERVER_H_
#define CARME_TESTS_SUPPORT_SERVERS_SAMBA_SERVER_H_

#include <sys/types.h>

#include <string>
#include <vector>

#include "backend/identity/ldap/ldap_config.h"
#include "common/unique_fd.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_authority.h"

namespace carme {

// The rules of one person's password.
struct SambaRules {
  int min_length = 0;
  bool complex = false;
  int history = 0;
  int min_age_s = 0;
  int lockout_after = 0;
};

// The domain DC=site,DC=test, function level 2008 R2, in which only what
// SambaRules requires is asked of a password, which is valid for 42 days.
// CN=carme,OU=Services, an account without any rights, looks people up.
//
// It needs LDAP's own ports, so the calling thread moves to a private host
// (private_host.h): one server a program.
class SambaServer {
 public:
  static constexpr char kBase[] = "DC=site,DC=test";

  // `entries` is LDIF, with changes after the entries that they change. Takes
  // five seconds, and one for 500 groups. Throws with Samba's own words when it
  // does not start.
  explicit SambaServer(const std::string& entries);
  SambaServer(const SambaServer&) = delete;
  SambaServer& operator=(const SambaServer&) = delete;
  ~SambaServer();

  // LDIF of a person "CN=Dr. NAME,OU=People" with the password "password of
  // NAME"; `more` are lines of the entry.
  static std::string Person(const std::string& name,
                            const std::string& more = "");
  // LDIF of a group below OU=Groups; `members` are RDNs, each below kBase.
  static std::string Group(const std::string& name,
                           const std::vector<std::string>& members);
  // LDIF of a fine-grained password policy for one person.
  static std::string Rules(const std::string& person, const SambaRules& rules);
  static std::string DnOf(const std::string& person);

  // As deploy/config/backend.toml has it for Active Directory.
  backend::LdapConfig Config() const;
  std::string LdapsUrl() const { return "ldaps://127.0.0.1"; }
  std::string LdapUrl() const { return "ldap://127.0.0.1"; }  // for StartTLS
  // A file of the server's directory, for the test's own use.
  std::string WriteFile(const std::string& name, const std::string& text) const;

 private:
  void WriteConfiguration();
  void Provision(const std::string& entries) const;
  void Start();
  [[noreturn]] void Fail(const std::string& what, const std::string& log) const;

  TempDir dir_;
  TestAuthority authority_;
  UniqueFd lifeline_;  // Samba ends when it is closed
  pid_t pid_ = 0;
};

}  // namespace carme

#endif  // CARME_TESTS_SUPPORT_SERVERS_SAMBA_SERVER_H_
