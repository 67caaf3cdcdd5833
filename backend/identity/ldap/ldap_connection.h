// A connection to an LDAP server, protected before any secret is sent.
#ifndef CARME_BACKEND_IDENTITY_LDAP_LDAP_CONNECTION_H_
#define CARME_BACKEND_IDENTITY_LDAP_LDAP_CONNECTION_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/identity/ldap/ldap_config.h"
#include "backend/identity/ldap/password_status.h"
#include "backend/identity/ldap/socket_deadline.h"

struct ldap;
struct ldapmsg;

namespace carme::backend {

struct LdapEntry {
  std::string dn;
  // By lower-case attribute name.
  std::map<std::string, std::vector<std::string>> values;
};

enum class LdapScope { kBase, kSubtree };

// Some of the entries that a search has found.
struct LdapEntries {
  std::vector<LdapEntry> entries;
  bool more = false;  // the server has more than these
};

// Not thread-safe; blocks, each step for about the configured time-out at most.
//
// 1. Certificates are required and checked against the CA file and the host
// name;
//    configuration files of libldap cannot weaken that.
// 2. Nothing is sent on a connection that is neither TLS nor a unix socket.
// 3. Referrals are not followed: they lead to unconfigured servers.
class LdapConnection {
 public:
  // `address` is one of the configured ones. UNAVAILABLE: no server, or its
  // certificate is invalid.
  static absl::StatusOr<std::unique_ptr<LdapConnection>> Open(
      const LdapConfig& config, const std::string& address);
  LdapConnection(const LdapConnection&) = delete;
  LdapConnection& operator=(const LdapConnection&) = delete;
  ~LdapConnection();

  // OK: the password is right; the status shows whether it can be used.
  // UNAUTHENTICATED: rejected. UNAVAILABLE: no definite response.
  // INVALID_ARGUMENT for an empty password, which LDAP treats as a successful
  // anonymous bind (RFC 4513, 5.1.2).
  absl::StatusOr<PasswordStatus> Bind(const std::string& dn,
                                      const std::string& password);

  // Returns at most `max` entries. OUT_OF_RANGE: more entries, or more values
  // of an entry than can be read (15,000 in Active Directory). For
  // LdapScope::kBase a missing entry is an empty result. UNAVAILABLE: no
  // definite response, or the base of a subtree is missing.
  absl::StatusOr<std::vector<LdapEntry>> Search(
      const std::string& base, LdapScope scope, const std::string& filter,
      const std::vector<std::string>& attributes, int max);

  // Returns any `max` of the entries that match if there are more. `max` must
  // be at most 500. Other errors are those of Search().
  absl::StatusOr<LdapEntries> SearchSome(
      const std::string& base, LdapScope scope, const std::string& filter,
      const std::vector<std::string>& attributes, int max);

  // Whether the server is known to compare a password before it reports that it
  // has expired: OpenLDAP and Active Directory.
  bool ComparesPasswordFirst();

  // Changes the password of the entry `dn`: by RFC 3062, bound as `dn`; or by
  // unicodePwd, which requires only the old password, whatever the bind.
  // UNAUTHENTICATED: the old password is wrong, if the server reports it.
  // FAILED_PRECONDITION: rejected; the message is for the user. ABORTED: this
  // server is a read-only replica. UNAVAILABLE: no definite response, the
  // password may have changed.
  absl::Status ChangePassword(const std::string& dn,
                              const std::string& old_password,
                              const std::string& new_password);
  absl::Status ChangeUnicodePassword(const std::string& dn,
                                     const std::string& old_password,
                                     const std::string& new_password);

 private:
  struct Callbacks;
  struct Query {
    std::string base;
    LdapScope scope;
    std::string filter;
    std::vector<std::string> attributes;
    int max;
    // Set if the server has more entries than `max`; null: that is an error.
    bool* more = nullptr;
  };
  struct Response {
    int code;
    std::string diagnostic;  // the diagnostic message of the server
    PasswordStatus status;
  };
  LdapConnection(std::string address, const LdapConfig& config);
  absl::Status Connect(const LdapConfig& config);
  absl::Status Set(int option, const void* value, const char* what);
  absl::Status Configure();
  absl::Status ConfigureTls(const LdapConfig& config);
  absl::Status StartTls();
  // Appends entries; returns the cookie of the next page, empty after the last.
  absl::StatusOr<std::string> SearchPage(const Query& query,
                                         const std::string& cookie,
                                         std::vector<LdapEntry>* entries);
  absl::Status Complete(LdapEntry* entry);
  // The response to an operation that started with `code`.
  Response Await(int code, int message_id);
  Response Read(ldapmsg* result);
  static absl::StatusOr<PasswordStatus> BindResult(const std::string& dn,
                                                   Response answer);
  absl::Status ChangeResult(const Response& answer) const;

  const std::string address_;
  const absl::Duration connect_timeout_;
  const absl::Duration timeout_;
  ldap* handle_ = nullptr;
  std::unique_ptr<Callbacks> callbacks_;
  SocketDeadline deadline_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_LDAP_LDAP_CONNECTION_H_
