// The site's own rules for new passwords: section [password] of backend.toml.
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
  // Of small letters, capitals, digits, and others; 1 to 4.
  int min_classes = 1;
  // No part of a password, whatever the case; each of 3 characters or more.
  std::vector<std::string> denied_words = {"password", "carme"};
};

// What is wrong with it is reported by Finish().
void ReadPasswordConfig(ConfigTable table, PasswordConfig* config);

// Whose password it is to become.
struct PasswordOwner {
  std::string username;
  std::string display_name;
  std::string old_password;
};

// INVALID_ARGUMENT with everything that is wrong with it, in one sentence for
// the person, which does not repeat the password.
absl::Status CheckNewPassword(const PasswordConfig& config,
                              const PasswordOwner& owner,
                              std::string_view password);

// The same rules, each in words.
std::vector<std::string> DescribePasswordRules(const PasswordConfig& config);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_LDAP_PASSWORD_RULES_H_
