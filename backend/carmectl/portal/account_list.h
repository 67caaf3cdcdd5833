// carmectl user import: entries for the site's directory, as LDIF.
#ifndef CARME_BACKEND_CARMECTL_PORTAL_ACCOUNT_LIST_H_
#define CARME_BACKEND_CARMECTL_PORTAL_ACCOUNT_LIST_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace CLI {
class App;
}

namespace carme::carmectl {

struct AccountListOptions {
  std::string file{};  // CSV: username, name, email, uid
  std::string base{};  // "ou=people,dc=example,dc=org"
  int64_t first_uid = 0;
  int64_t gid = 0;  // 0: the uid
  std::string home = "/home";
  std::string shell = "/bin/bash";
};

void AddAccountListOptions(CLI::App* command, AccountListOptions* options);

// Without passwords, which are set in the directory. INVALID_ARGUMENT, with the
// line: invalid or duplicate user name.
absl::StatusOr<std::string> WriteLdif(const AccountListOptions& options);
// The same for the text of the file.
absl::StatusOr<std::string> LdifOf(const AccountListOptions& options,
                                   const std::string& csv);

}  // namespace carme::carmectl

#endif  // CARME_BACKEND_CARMECTL_PORTAL_ACCOUNT_LIST_H_
