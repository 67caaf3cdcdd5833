// The site's LDAP server as the Directory: search, then bind.
#ifndef CARME_BACKEND_IDENTITY_LDAP_DIRECTORY_H_
#define CARME_BACKEND_IDENTITY_LDAP_DIRECTORY_H_

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "backend/identity/directory.h"
#include "backend/identity/identity_config.h"

namespace carme {

class LdapConnection;
struct LdapEntry;

// 1. A password is tried for exactly one entry, or for none.
// 2. Each check opens a connection of its own: a server that was away is
//    back with the next log-in.
// 3. An unknown user costs the same steps as a known one.
class LdapDirectory : public Directory {
 public:
  // Reads the bind password; does not need the server to be there. The errors
  // are those of ReadSecretFile and of the CA file.
  static absl::StatusOr<std::unique_ptr<LdapDirectory>> Create(
      LdapConfig config);

  absl::StatusOr<PasswordCheck> CheckPassword(
      std::string_view username, std::string_view password) override;
  absl::StatusOr<Person> LookUp(std::string_view username) override;
  absl::Status ChangePassword(std::string_view username,
                              std::string_view old_password,
                              std::string_view new_password) override;
  bool ChangesPasswords() const override;
  std::vector<std::string> PasswordRules() const override;

 private:
  struct Found {
    std::string dn;       // whose password it would be
    std::string refusal;  // why nobody; empty: there is a person
    Person person;
  };
  LdapDirectory(LdapConfig config, std::string bind_password);
  absl::StatusOr<std::unique_ptr<LdapConnection>> Connect() const;
  // The one entry of that name, or one that stands for nobody.
  absl::StatusOr<LdapEntry> Find(LdapConnection& connection,
                                 std::string_view username) const;
  absl::StatusOr<Found> Read(LdapConnection& connection,
                             std::string_view username) const;
  absl::StatusOr<bool> IsMember(LdapConnection& connection,
                                const LdapEntry& user,
                                const std::string& username,
                                const std::string& group) const;
  const LdapConfig config_;
  const std::string bind_password_;
};

}  // namespace carme

#endif  // CARME_BACKEND_IDENTITY_LDAP_DIRECTORY_H_
