// One connection to an LDAP server, protected before anything secret is sent.
#ifndef CARME_BACKEND_IDENTITY_LDAP_CONNECTION_H_
#define CARME_BACKEND_IDENTITY_LDAP_CONNECTION_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/identity/identity_config.h"
#include "backend/identity/socket_deadline.h"

struct ldap;

namespace carme {

struct LdapEntry {
  std::string dn;
  // By lower-case attribute name.
  std::map<std::string, std::vector<std::string>> values;
};

enum class LdapScope { kBase, kSubtree };

// Not thread-safe; blocks, each step for about the configured time at most.
//
// 1. Certificates are demanded and checked against the CA file and the host
//    name; the library's own configuration files cannot weaken that.
// 2. Nothing is sent on a connection that is neither TLS nor a unix socket.
// 3. Referrals are not followed: they lead to servers nobody configured.
class LdapConnection {
 public:
  // To the first of the addresses that can be had. UNAVAILABLE: none can, or
  // what was reached is not who it should be.
  static absl::StatusOr<std::unique_ptr<LdapConnection>> Open(
      const LdapConfig& config);
  LdapConnection(const LdapConnection&) = delete;
  LdapConnection& operator=(const LdapConnection&) = delete;
  ~LdapConnection();

  // UNAUTHENTICATED: the server says no. UNAVAILABLE: no clear answer.
  // INVALID_ARGUMENT for an empty password, which LDAP would take for a wish
  // to be anonymous and grant (RFC 4513, 5.1.2).
  absl::Status Bind(const std::string& dn, const std::string& password);

  // At most `most` entries; more than that is OUT_OF_RANGE. A base that does
  // not exist holds no entries. UNAVAILABLE: no clear answer.
  absl::StatusOr<std::vector<LdapEntry>> Search(
      const std::string& base, LdapScope scope, const std::string& filter,
      const std::vector<std::string>& attributes, int most);

 private:
  class Step;
  struct Callbacks;
  LdapConnection(std::string address, absl::Duration timeout);
  absl::Status Connect(const LdapConfig& config);
  absl::Status Set(int option, const void* value, const char* what);
  absl::Status Configure();
  absl::Status ConfigureTls(const LdapConfig& config);
  absl::Status StartTls();

  const std::string address_;
  const absl::Duration timeout_;
  ldap* handle_ = nullptr;
  std::unique_ptr<Callbacks> callbacks_;
  SocketDeadline deadline_;
};

}  // namespace carme

#endif  // CARME_BACKEND_IDENTITY_LDAP_CONNECTION_H_
