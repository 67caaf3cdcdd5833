// One connection to an LDAP server, protected before anything secret is sent.
#ifndef CARME_BACKEND_IDENTITY_LDAP_CONNECTION_H_
#define CARME_BACKEND_IDENTITY_LDAP_CONNECTION_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backend/identity/ldap_config.h"
#include "backend/identity/password_news.h"
#include "backend/identity/socket_deadline.h"

struct ldap;
struct ldapmsg;

namespace carme::backend {

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
  // `address` is one of those in the configuration. UNAVAILABLE: there is no
  // server, or it is not who it should be.
  static absl::StatusOr<std::unique_ptr<LdapConnection>> Open(
      const LdapConfig& config, const std::string& address);
  LdapConnection(const LdapConnection&) = delete;
  LdapConnection& operator=(const LdapConnection&) = delete;
  ~LdapConnection();

  // OK: the password is right; the news say whether it opens anything.
  // UNAUTHENTICATED: the server says no. UNAVAILABLE: no clear answer.
  // INVALID_ARGUMENT for an empty password, which LDAP would take for a wish
  // to be anonymous and grant (RFC 4513, 5.1.2).
  absl::StatusOr<PasswordNews> Bind(const std::string& dn,
                                    const std::string& password);

  // At most `most` entries; more than that is OUT_OF_RANGE, as are more values
  // of an entry than can be told (15,000 in Active Directory). An entry that
  // does not exist is none; a base that does not is no answer. UNAVAILABLE: no
  // clear answer.
  absl::StatusOr<std::vector<LdapEntry>> Search(
      const std::string& base, LdapScope scope, const std::string& filter,
      const std::vector<std::string>& attributes, int most);

  // Whether the server is one of those that compare a password before they say
  // that it expired: OpenLDAP, Active Directory. False: it is not known.
  bool ComparesFirst();

  // The password of the entry `dn`, in one of two ways: by RFC 3062, as who is
  // bound, whose `dn` is; or by unicodePwd, where the old password is the right
  // to do it, whoever is bound. UNAUTHENTICATED: the old one is wrong, if the
  // server says so. FAILED_PRECONDITION: refused; the message is for the
  // person. ABORTED: this server is a copy that takes no changes. UNAVAILABLE:
  // no clear answer, it may have changed.
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
    int most;
  };
  struct Answer {
    int code;
    std::string diagnostic;  // the server's own words
    PasswordNews news;
  };
  LdapConnection(std::string address, const LdapConfig& config);
  absl::Status Connect(const LdapConfig& config);
  absl::Status Set(int option, const void* value, const char* what);
  absl::Status Configure();
  absl::Status ConfigureTls(const LdapConfig& config);
  absl::Status StartTls();
  // Adds what it finds; the cookie for the next page, empty after the last.
  absl::StatusOr<std::string> SearchPage(const Query& query,
                                         const std::string& cookie,
                                         std::vector<LdapEntry>* entries);
  absl::Status Complete(LdapEntry* entry);
  // The answer to an operation that was begun with `code`.
  Answer Await(int code, int message_id);
  Answer Read(ldapmsg* result);
  static absl::StatusOr<PasswordNews> Verdict(const std::string& dn,
                                              Answer answer);
  absl::Status ChangeVerdict(const Answer& answer) const;

  const std::string address_;
  const absl::Duration connect_timeout_;
  const absl::Duration timeout_;
  ldap* handle_ = nullptr;
  std::unique_ptr<Callbacks> callbacks_;
  SocketDeadline deadline_;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_LDAP_CONNECTION_H_
