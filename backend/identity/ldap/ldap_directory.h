// Directory over the site's LDAP servers: search, then bind as the user.
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
#include "backend/identity/directory_search.h"
#include "backend/identity/ldap/ldap_config.h"
#include "backend/identity/ldap/ldap_servers.h"
#include "backend/identity/ldap/password_rules.h"

namespace carme::backend {

class LdapConnection;

// 1. A password is checked against exactly one entry, or none.
// 2. Each call opens its own connection; no pool can be stale.
// 3. An unknown user takes the same steps as a known one.
// 4. When a server fails, all steps are repeated on the next server, except a
//    password change that was sent.
class LdapDirectory : public Directory, public DirectorySearch {
 public:
  // Reads the bind password; no server needs to be reachable. Errors are those
  // of ReadSecretFile and of the CA file.
  static absl::StatusOr<std::unique_ptr<LdapDirectory>> Create(
      LdapConfig config, PasswordConfig rules = {});

  absl::StatusOr<PasswordCheck> CheckPassword(
      std::string_view username, std::string_view password) override;
  absl::StatusOr<Person> LookUp(std::string_view username) override;
  absl::StatusOr<std::string> FindGroup(std::string_view name) override;
  absl::StatusOr<std::string> FindByMail(std::string_view mail) override;
  absl::StatusOr<DirectoryNames> SearchUsers(std::string_view beginning,
                                             int max) override;
  absl::StatusOr<DirectoryNames> SearchGroups(std::string_view beginning,
                                              int max) override;
  absl::Status ChangePassword(std::string_view username,
                              std::string_view old_password,
                              std::string_view new_password) override;
  bool ChangesPasswords() const override {
    return config_.password_change != PasswordChange::kOff;
  }
  std::vector<std::string> PasswordRules() const override;

  std::vector<LdapServers::Health> health() const { return servers_.health(); }
  // Connects and binds to each server that was not used for a minute. Blocks
  // for the configured time-outs. Call every few seconds.
  void ProbeIdleServers();

 private:
  using Steps = absl::FunctionRef<absl::Status(LdapConnection&)>;
  LdapDirectory(LdapConfig config, PasswordConfig rules,
                std::string bind_password);
  // Runs the steps on one server after the other until one responds. The
  // connection is first bound to the account of bind_dn.
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
