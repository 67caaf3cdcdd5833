// The site's LDAP servers as the Directory: search, then bind as the person.
#ifndef CARME_BACKEND_IDENTITY_LDAP_LDAP_DIRECTORY_H_
#define CARME_BACKEND_IDENTITY_LDAP_LDAP_DIRECTORY_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/identity/directory.h"
#include "backend/identity/ldap/ldap_config.h"
#include "backend/identity/ldap/ldap_servers.h"
#include "backend/identity/ldap/password_rules.h"

namespace carme::backend {

class LdapConnection;

// 1. A password is tried for exactly one entry, or for none.
// 2. Each call opens a connection of its own: a server that was away is back
//    with the next one.
// 3. An unknown user costs the same steps as a known one.
// 4. A server that fails on the way is replaced by the next, from the first
//    step on; only a change that was sent is not sent again.
class LdapDirectory : public Directory {
 public:
  // Reads the bind password; does not need a server to be there. The errors
  // are those of ReadSecretFile and of the CA file.
  static absl::StatusOr<std::unique_ptr<LdapDirectory>> Create(
      LdapConfig config, PasswordConfig rules = {});

  absl::StatusOr<PasswordCheck> CheckPassword(
      std::string_view username, std::string_view password) override;
  absl::StatusOr<Person> LookUp(std::string_view username) override;
  absl::StatusOr<std::string> FindGroup(std::string_view name) override;
  absl::StatusOr<std::string> FindByMail(std::string_view mail) override;
  absl::Status ChangePassword(std::string_view username,
                              std::string_view old_password,
                              std::string_view new_password) override;
  bool ChangesPasswords() const override {
    return config_.password_change != PasswordChange::kOff;
  }
  std::vector<std::string> PasswordRules() const override;

  std::vector<LdapServers::Health> health() const { return servers_.health(); }
  // Connects and binds to each server that was not used within the last minute.
  // Blocks for the configured time-outs. Call every few seconds.
  void ProbeIdleServers();

 private:
  using Steps = absl::FunctionRef<absl::Status(LdapConnection&)>;
  LdapDirectory(LdapConfig config, PasswordConfig rules,
                std::string bind_password);
  // Takes the steps on one server after the other until one gives an answer;
  // the connection is bound to our own account at first.
  absl::Status OnAnyServer(Steps steps);
  absl::Status OnServer(const std::string& address, Steps steps) const;
  absl::Status BindOwnAccount(LdapConnection& connection) const;
  absl::Status Change(LdapConnection& connection, const std::string& dn,
                      const std::string& old_password,
                      const std::string& new_password) const;

  const LdapConfig config_;
  const PasswordConfig rules_;
  const std::string bind_password_;
  LdapServers servers_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_LDAP_LDAP_DIRECTORY_H_
