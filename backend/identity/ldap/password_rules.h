// The site's rules for new passwords: section [password] of backend.toml.
#ifndef CARME_BACKEND_IDENTITY_LDAP_PASSWORD_RULES_H_
#define CARME_BACKEND_IDENTITY_LDAP_PASSWORD_RULES_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "common/config/config.h"

namespace carme::backend {

// deploy/config/backend.toml explains each key.
struct PasswordConfig {
  int min_length = 12;  // characters; 8 to 128
  // Of lower case, upper case, digits and others; 1 to 4.
  int min_classes = 1;
  // Not allowed in a password, ignoring case; each at least 3 characters.
  std::vector<std::string> denied_words = {"password", "carme"};
};

// Finish() reports invalid values.
void ReadPasswordConfig(ConfigTable table, PasswordConfig* config);

// The owner of the new password.
struct PasswordOwner {
  std::string username;
  std::string display_name;
  std::string old_password;
};

// INVALID_ARGUMENT with all violations in one sentence for the user, without
// the password.
absl::Status CheckNewPassword(const PasswordConfig& config,
                              const PasswordOwner& owner,
                              std::string_view password);

// The rules as text.
std::vector<std::string> DescribePasswordRules(const PasswordConfig& config);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_LDAP_PASSWORD_RULES_H_
