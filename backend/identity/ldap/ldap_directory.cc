#include "backend/identity/ldap/ldap_directory.h"

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/identity/ldap/ldap_connection.h"
#include "backend/identity/ldap/ldap_groups.h"
#include "backend/identity/ldap/ldap_name.h"
#include "backend/identity/ldap/ldap_person.h"
#include "backend/identity/ldap/ldap_search.h"
#include "backend/identity/ldap/messages.h"
#include "common/file.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

absl::Status No(const std::string& why) {
  return absl::UnauthenticatedError(why);
}

// Whether another server may return a different result.
bool IsServersFault(const absl::Status& status) {
  return absl::IsUnavailable(status) || absl::IsAborted(status);
}

// A bind that counts as a proof of the password.
absl::StatusOr<PasswordStatus> Prove(LdapConnection& connection,
                                     const std::string& dn,
                                     const std::string& password) {
  ASSIGN_OR_RETURN(const PasswordStatus news, connection.Bind(dn, password));
  if (news.expired && !connection.ComparesPasswordFirst()) {
    return MakeError(ldap_messages::kExpiredNotCompared);
  }
  return news;
}

}  // namespace

LdapDirectory::LdapDirectory(LdapConfig config, PasswordConfig rules,
                             std::string bind_password)
    : config_(std::move(config)),
      rules_(std::move(rules)),
      bind_password_(std::move(bind_password)),
      servers_(LdapAddresses(config_.url)) {}

absl::StatusOr<std::unique_ptr<LdapDirectory>> LdapDirectory::Create(
    LdapConfig config, PasswordConfig rules) {
  std::string password;
  if (!config.bind_dn.empty()) {
    ASSIGN_OR_RETURN(password, ReadSecretFile(config.bind_password_file));
  }
  if (LdapUrlNeedsTls(config.url)) {
    RETURN_IF_ERROR(ReadFile(config.ca_file).status());
  }
  return std::unique_ptr<LdapDirectory>(new LdapDirectory(
      std::move(config), std::move(rules), std::move(password)));
}

absl::Status LdapDirectory::OnAnyServer(Steps steps) {
  absl::Status failed = MakeError(ldap_messages::kNoAddress);
  for (const std::string& address : servers_.Order(absl::Now())) {
    const absl::Status done = OnServer(address, steps);
    servers_.Observe(address,
                     absl::IsUnavailable(done) ? done : absl::OkStatus(),
                     absl::Now());
    if (!absl::IsUnavailable(done)) servers_.Answered(address);
    if (!IsServersFault(done)) return done;
    if (absl::IsUnavailable(done)) servers_.Failed(address, absl::Now());
    failed = done;
  }
  return absl::UnavailableError(failed.message());
}

absl::Status LdapDirectory::OnServer(const std::string& address,
                                     Steps steps) const {
  ASSIGN_OR_RETURN(const std::unique_ptr<LdapConnection> connection,
                   LdapConnection::Open(config_, address));
  RETURN_IF_ERROR(BindOwnAccount(*connection));
  return steps(*connection);
}

void LdapDirectory::ProbeIdleServers() {
  for (const std::string& address : servers_.Stale(absl::Now())) {
    const absl::Status bound =
        OnServer(address, [](LdapConnection&) { return absl::OkStatus(); });
    servers_.Observe(address, bound, absl::Now());
  }
}

absl::Status LdapDirectory::BindOwnAccount(LdapConnection& connection) const {
  if (config_.bind_dn.empty()) return absl::OkStatus();
  const auto bound = connection.Bind(config_.bind_dn, bind_password_);
  // A rejected bind of our own account is not an error of the user's password.
  if (!bound.ok()) {
    return MakeError(ldap_messages::kOwnAccountRefused,
                     {{"error", bound.status().message()}});
  }
  if (bound->expired) {
    return MakeError(ldap_messages::kOwnAccountExpired);
  }
  return absl::OkStatus();
}

absl::StatusOr<PasswordCheck> LdapDirectory::CheckPassword(
    std::string_view username, std::string_view password) {
  if (username.empty() || password.empty())
    return MakeError(ldap_messages::kNameOrPasswordEmpty);
  PasswordCheck check;
  const auto steps = [&](LdapConnection& connection) -> absl::Status {
    ASSIGN_OR_RETURN(LdapPerson found,
                     ReadLdapPerson(connection, config_, username));
    // Last, because the connection is bound as the user afterwards. Done even
    // if an earlier step refused, so that every refusal takes the same time.
    const absl::StatusOr<PasswordStatus> bound =
        Prove(connection, found.dn, std::string(password));
    if (absl::IsUnavailable(bound.status())) return bound.status();
    if (!found.refusal.empty()) return No(found.refusal);
    RETURN_IF_ERROR(bound.status());
    check.person = std::move(found.person);
    check.must_change = MustChange(*bound, config_.password_change);
    check.message = PasswordMessage(*bound, config_.password_change);
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(OnAnyServer(steps));
  return check;
}

absl::StatusOr<Person> LdapDirectory::LookUp(std::string_view username) {
  if (username.empty()) return MakeError(ldap_messages::kNameEmpty);
  // Kept apart from the status of `steps`, because another server would return
  // the same.
  absl::StatusOr<Person> person;
  const auto steps = [&](LdapConnection& connection) -> absl::Status {
    ASSIGN_OR_RETURN(LdapPerson found,
                     ReadLdapPerson(connection, config_, username));
    if (found.refusal.empty()) {
      person = std::move(found.person);
    } else if (found.unclear) {
      absl::Status unclear = absl::UnavailableError(found.refusal);
      unclear.SetPayload(kIndeterminatePayload, absl::Cord());
      person = unclear;
    } else {
      person = absl::NotFoundError(found.refusal);
    }
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(OnAnyServer(steps));
  return person;
}

absl::StatusOr<std::string> LdapDirectory::FindGroup(std::string_view name) {
  std::string found;
  const auto steps = [&](LdapConnection& connection) -> absl::Status {
    ASSIGN_OR_RETURN(found, FindLdapGroup(connection, config_, name));
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(OnAnyServer(steps));
  if (found.empty()) return MakeError(ldap_messages::kGroupNotFound);
  return found;
}

absl::StatusOr<std::string> LdapDirectory::FindByMail(std::string_view mail) {
  if (mail.empty() || config_.mail_attribute.empty()) {
    return MakeError(ldap_messages::kNoMailAddresses);
  }
  absl::StatusOr<std::string> name = MakeError(ldap_messages::kMailNotFound);
  const auto steps = [&](LdapConnection& connection) -> absl::Status {
    const auto entries =
        connection.Search(config_.user_base, LdapScope::kSubtree,
                          absl::StrCat("(", config_.mail_attribute, "=",
                                       EscapeFilterValue(mail), ")"),
                          {config_.name_attribute}, 1);
    if (absl::IsOutOfRange(entries.status())) {
      name = MakeError(ldap_messages::kMailAmbiguous);
      return absl::OkStatus();
    }
    RETURN_IF_ERROR(entries.status());
    if (entries->empty()) return absl::OkStatus();
    const auto& values = entries->front().values;
    const auto found =
        values.find(absl::AsciiStrToLower(config_.name_attribute));
    if (found != values.end() && !found->second.empty()) {
      name = found->second.front();
    }
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(OnAnyServer(steps));
  return name;
}

absl::StatusOr<DirectoryNames> LdapDirectory::SearchUsers(
    std::string_view beginning, int max) {
  DirectoryNames found;
  const auto steps = [&](LdapConnection& connection) -> absl::Status {
    ASSIGN_OR_RETURN(found, SearchLdapUsers(connection, config_, beginning,
                                            std::min(max, kMaxNames)));
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(OnAnyServer(steps));
  return found;
}

absl::StatusOr<DirectoryNames> LdapDirectory::SearchGroups(
    std::string_view beginning, int max) {
  DirectoryNames found;
  const auto steps = [&](LdapConnection& connection) -> absl::Status {
    ASSIGN_OR_RETURN(found, SearchLdapGroups(connection, config_, beginning,
                                             std::min(max, kMaxNames)));
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(OnAnyServer(steps));
  return found;
}

absl::Status LdapDirectory::ChangePassword(std::string_view username,
                                           std::string_view old_password,
                                           std::string_view new_password) {
  if (!ChangesPasswords()) {
    return MakeError(ldap_messages::kChangeNotOffered);
  }
  if (username.empty() || old_password.empty())
    return MakeError(ldap_messages::kNameOrPasswordEmpty);
  // A change that was sent may have happened, even without an answer: it is
  // not sent to another server.
  absl::Status sent;
  const auto steps = [&](LdapConnection& connection) -> absl::Status {
    ASSIGN_OR_RETURN(const LdapPerson found,
                     ReadLdapPerson(connection, config_, username));
    if (!found.refusal.empty()) return No(found.refusal);
    RETURN_IF_ERROR(
        CheckNewPassword(rules_,
                         {found.person.username, found.person.display_name,
                          std::string(old_password)},
                         new_password));
    ASSIGN_OR_RETURN(const PasswordStatus bound,
                     Prove(connection, found.dn, std::string(old_password)));
    if (bound.expired && !CanChangeExpired(config_.password_change)) {
      return RejectionError(bound.error, "");
    }
    // The bind was refused because the password has expired. The change needs
    // only the old password, on a connection with any bind.
    if (bound.expired) RETURN_IF_ERROR(BindOwnAccount(connection));
    sent = Change(connection, found.dn, std::string(old_password),
                  std::string(new_password));
    return absl::IsAborted(sent) ? sent : absl::OkStatus();
  };
  RETURN_IF_ERROR(OnAnyServer(steps));
  return sent;
}

absl::Status LdapDirectory::Change(LdapConnection& connection,
                                   const std::string& dn,
                                   const std::string& old_password,
                                   const std::string& new_password) const {
  return config_.password_change == PasswordChange::kActiveDirectory
             ? connection.ChangeUnicodePassword(dn, old_password, new_password)
             : connection.ChangePassword(dn, old_password, new_password);
}

std::vector<std::string> LdapDirectory::PasswordRules() const {
  return ChangesPasswords() ? DescribePasswordRules(rules_)
                            : std::vector<std::string>();
}

}  // namespace carme::backend
