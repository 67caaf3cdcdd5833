// Binds and changes of passwords on a connection, with what the server's policy
// says of them.
#include <ldap.h>
#include <sys/time.h>

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "backend/identity/ldap_active_directory.h"
#include "backend/identity/ldap_connection.h"
#include "backend/identity/ldap_error.h"
#include "backend/identity/ldap_message.h"

namespace carme::backend {
namespace {

// Answers to a bind that mean no. Whatever is in neither list is unclear.
bool IsRefusal(int code) {
  switch (code) {
    case LDAP_INVALID_CREDENTIALS:
    case LDAP_NO_SUCH_OBJECT:
    case LDAP_INAPPROPRIATE_AUTH:
    case LDAP_INSUFFICIENT_ACCESS:
    case LDAP_UNWILLING_TO_PERFORM:
    case LDAP_CONSTRAINT_VIOLATION:
      return true;
    default:
      return false;
  }
}

// Answers to a change that mean no; LDAP_PROTOCOL_ERROR is that of a server
// which does not know the operation.
bool IsRefusedChange(int code) {
  return IsRefusal(code) || code == LDAP_PROTOCOL_ERROR ||
         code == LDAP_STRONG_AUTH_REQUIRED ||
         code == LDAP_CONFIDENTIALITY_REQUIRED;
}

// "Tell what the password policy says." Not critical: a server that does not
// know it says yes or no alone.
LdapControl PolicyRequest(LDAP* handle) {
  LDAPControl* control = nullptr;
  ldap_create_passwordpolicy_control(handle, &control);
  return LdapControl(control);
}

berval View(const std::string& text) {
  return {text.size(), const_cast<char*>(text.data())};
}

PolicyError Translate(LDAPPasswordPolicyError error) {
  switch (error) {
    case PP_passwordExpired:
      return PolicyError::kPasswordExpired;
    case PP_accountLocked:
      return PolicyError::kAccountLocked;
    case PP_changeAfterReset:
      return PolicyError::kChangeAfterReset;
    case PP_passwordModNotAllowed:
      return PolicyError::kPasswordModNotAllowed;
    case PP_mustSupplyOldPassword:
      return PolicyError::kMustSupplyOldPassword;
    case PP_insufficientPasswordQuality:
      return PolicyError::kInsufficientPasswordQuality;
    case PP_passwordTooShort:
      return PolicyError::kPasswordTooShort;
    case PP_passwordTooYoung:
      return PolicyError::kPasswordTooYoung;
    case PP_passwordInHistory:
      return PolicyError::kPasswordInHistory;
    case PP_passwordTooLong:
      return PolicyError::kPasswordTooLong;
    case PP_noError:
      break;
  }
  return PolicyError::kNone;
}

PasswordNews ReadNews(LDAP* handle, LDAPControl** controls) {
  PasswordNews news;
  LDAPControl* control =
      ldap_control_find(LDAP_CONTROL_PASSWORDPOLICYRESPONSE, controls, nullptr);
  ber_int_t expires_s = -1;
  ber_int_t left = -1;
  LDAPPasswordPolicyError error = PP_noError;
  if (control == nullptr ||
      ldap_parse_passwordpolicy_control(handle, control, &expires_s, &left,
                                        &error) != LDAP_SUCCESS) {
    return news;
  }
  news.error = Translate(error);
  if (left >= 0) news.log_ins_left = left;
  if (expires_s >= 0) news.expires_in = absl::Seconds(expires_s);
  return news;
}

}  // namespace

LdapConnection::Answer LdapConnection::Await(int code, int message_id) {
  if (code != LDAP_SUCCESS) return {.code = code, .diagnostic = "", .news = {}};
  timeval wait = absl::ToTimeval(timeout_);
  LDAPMessage* raw = nullptr;
  const int kind = ldap_result(handle_, message_id, LDAP_MSG_ALL, &wait, &raw);
  const LdapMessage result(raw);
  if (kind > 0) return Read(result.get());
  int error = LDAP_TIMEOUT;
  if (kind < 0) ldap_get_option(handle_, LDAP_OPT_RESULT_CODE, &error);
  return {.code = error == LDAP_SUCCESS ? LDAP_SERVER_DOWN : error,
          .diagnostic = "",
          .news = {}};
}

LdapConnection::Answer LdapConnection::Read(LDAPMessage* result) {
  Answer answer{.code = LDAP_OTHER, .diagnostic = "", .news = {}};
  int code = LDAP_OTHER;
  char* diagnostic = nullptr;
  LDAPControl** controls = nullptr;
  const int parsed =
      ldap_parse_result(handle_, result, &code, nullptr, &diagnostic, nullptr,
                        &controls, /*freeit=*/0);
  answer.code = parsed == LDAP_SUCCESS ? code : parsed;
  if (diagnostic != nullptr) answer.diagnostic = diagnostic;
  if (controls != nullptr) answer.news = ReadNews(handle_, controls);
  ldap_memfree(diagnostic);
  ldap_controls_free(controls);
  return answer;
}

absl::StatusOr<PasswordNews> LdapConnection::Bind(const std::string& dn,
                                                  const std::string& password) {
  if (password.empty() || dn.empty()) {
    return absl::InvalidArgumentError("directory: bind without a password");
  }
  const DeadlineScope scope(deadline_, timeout_);
  berval secret = View(password);
  const LdapControl policy = PolicyRequest(handle_);
  LDAPControl* controls[] = {policy.get(), nullptr};
  int id = -1;
  const int begun = ldap_sasl_bind(handle_, dn.c_str(), LDAP_SASL_SIMPLE,
                                   &secret, controls, nullptr, &id);
  return Verdict(dn, Await(begun, id));
}

absl::StatusOr<PasswordNews> LdapConnection::Verdict(const std::string& dn,
                                                     Answer answer) {
  if (answer.code == LDAP_SUCCESS) return answer.news;
  const std::string text =
      absl::StrCat("directory: bind \"", dn,
                   "\": ", LdapErrorText(answer.code, answer.diagnostic));
  if (!IsRefusal(answer.code)) return absl::UnavailableError(text);
  PolicyError& error = answer.news.error;
  if (error == PolicyError::kNone) {
    error = ActiveDirectoryError(answer.diagnostic);
  }
  // Said of a right password where the server compares it first.
  answer.news.shut = answer.code == LDAP_INVALID_CREDENTIALS &&
                     (error == PolicyError::kPasswordExpired ||
                      error == PolicyError::kChangeAfterReset);
  if (answer.news.shut) return answer.news;
  const std::string word(PolicyErrorName(error));
  return absl::UnauthenticatedError(
      word.empty() ? text : absl::StrCat(text, ": ", word));
}

absl::Status LdapConnection::ChangePassword(const std::string& dn,
                                            const std::string& old_password,
                                            const std::string& new_password) {
  // Without a new one the server would make one up, and tell it (RFC 3062, 2).
  if (dn.empty() || old_password.empty() || new_password.empty()) {
    return absl::FailedPreconditionError("a password must not be empty");
  }
  const DeadlineScope scope(deadline_, timeout_);
  berval who = View(dn);
  berval before = View(old_password);
  berval after = View(new_password);
  const LdapControl policy = PolicyRequest(handle_);
  LDAPControl* controls[] = {policy.get(), nullptr};
  int id = -1;
  const int begun =
      ldap_passwd(handle_, &who, &before, &after, controls, nullptr, &id);
  return ChangeVerdict(Await(begun, id));
}

absl::Status LdapConnection::ChangeUnicodePassword(
    const std::string& dn, const std::string& old_password,
    const std::string& new_password) {
  const std::optional<std::string> old_value = UnicodePassword(old_password);
  const std::optional<std::string> new_value = UnicodePassword(new_password);
  if (dn.empty() || old_password.empty() || new_password.empty() ||
      !old_value || !new_value) {
    return absl::FailedPreconditionError(
        "a password must be text, and must not be empty");
  }
  const DeadlineScope scope(deadline_, timeout_);
  // Deleting the old value and adding the new one is a change by who knows the
  // old one; replacing it would be a reset, with an administrator's rights
  // ([MS-ADTS] 3.1.1.3.1.5).
  char attribute[] = "unicodePwd";
  berval before = View(*old_value);
  berval after = View(*new_value);
  berval* befores[] = {&before, nullptr};
  berval* afters[] = {&after, nullptr};
  LDAPMod remove = {LDAP_MOD_DELETE | LDAP_MOD_BVALUES, attribute, {}};
  LDAPMod add = {LDAP_MOD_ADD | LDAP_MOD_BVALUES, attribute, {}};
  remove.mod_bvalues = befores;
  add.mod_bvalues = afters;
  LDAPMod* changes[] = {&remove, &add, nullptr};
  int id = -1;
  const int begun =
      ldap_modify_ext(handle_, dn.c_str(), changes, nullptr, nullptr, &id);
  return ChangeVerdict(Await(begun, id));
}

absl::Status LdapConnection::ChangeVerdict(const Answer& answer) const {
  if (answer.code == LDAP_SUCCESS) return absl::OkStatus();
  const std::string text = LdapErrorText(answer.code, answer.diagnostic);
  if (answer.code == LDAP_REFERRAL) {
    return absl::AbortedError(
        absl::StrCat("directory: ", address_, " takes no changes: ", text));
  }
  if (!IsRefusedChange(answer.code)) {
    return absl::UnavailableError(
        absl::StrCat("directory: change of a password: ", text));
  }
  const PolicyError error = answer.news.error == PolicyError::kNone
                                ? ActiveDirectoryRefusal(answer.diagnostic)
                                : answer.news.error;
  const std::string why(WhyRefused(error));
  if (error == PolicyError::kWrongOldPassword) {
    return absl::UnauthenticatedError(why);
  }
  return absl::FailedPreconditionError(
      error == PolicyError::kNone ? absl::StrCat(why, ": ", text) : why);
}

}  // namespace carme::backend
