// A real slapd of a test's own, with TLS, on ports of its own.
#ifndef CARME_TESTS_SUPPORT_SLAPD_SERVER_H_
#define CARME_TESTS_SUPPORT_SLAPD_SERVER_H_

#include <sys/types.h>

#include <string>

#include "backend/identity/identity_config.h"
#include "tests/support/temp_dir.h"
#include "tests/support/test_authority.h"

namespace carme {

// In it, below dc=carme,dc=test: the people ada and bob of group carme-users,
// carol of carme-users and carme-admins, eve of neither; gil whose primary
// group is carme-users; root0 with uidNumber 0; twin twice. Each password is
// "password of NAME". cn=carme,ou=services may search, with kBindPassword;
// nobody may without a bind, and no password passes a connection in the clear.
class SlapdServer {
 public:
  static constexpr char kBindPassword[] = "the service's password";
  static constexpr char kBase[] = "dc=carme,dc=test";

  // The certificate names `names`; `line` is added to slapd.conf. Starts and
  // waits until it answers. Throws with slapd's own words when it does not.
  explicit SlapdServer(const std::string& names = "IP:127.0.0.1",
                       const std::string& line = "");
  SlapdServer(const SlapdServer&) = delete;
  SlapdServer& operator=(const SlapdServer&) = delete;
  ~SlapdServer();

  void Stop();
  void Start();  // on the same ports, with the same entries

  // A configuration that works, over ldaps.
  LdapConfig Config() const;
  std::string LdapUrl() const;  // for StartTLS
  std::string LdapsUrl() const;
  std::string LdapiUrl() const;  // a unix socket
  const TestAuthority& authority() const { return authority_; }
  // Another file with the service's password.
  std::string PasswordFile(const std::string& name,
                           const std::string& password) const;

 private:
  void WriteConfiguration(const std::string& names, const std::string& line);
  void LoadEntries();
  bool Answers() const;
  std::string Log() const;

  TempDir dir_;
  TestAuthority authority_;
  int ldap_port_;
  int ldaps_port_;
  pid_t pid_ = 0;
};

}  // namespace carme

#endif  // CARME_TESTS_SUPPORT_SLAPD_SERVER_H_
