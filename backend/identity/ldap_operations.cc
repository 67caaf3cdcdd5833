// What is done on a connection that stands.
#include <ldap.h>
#include <sys/time.h>

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "backend/identity/ldap_connection.h"
#include "backend/identity/ldap_error.h"

namespace carme {
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

struct MessageFreer {
  void operator()(LDAPMessage* message) const { ldap_msgfree(message); }
};
using Message = std::unique_ptr<LDAPMessage, MessageFreer>;

struct ControlFreer {
  void operator()(LDAPControl* control) const { ldap_control_free(control); }
};
using Control = std::unique_ptr<LDAPControl, ControlFreer>;

// "Tell what the password policy says." Not critical: a server that does not
// know it says yes or no alone.
Control PolicyRequest(LDAP* handle) {
  LDAPControl* control = nullptr;
  ldap_create_passwordpolicy_control(handle, &control);
  return Control(control);
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

void ReadValues(LDAP* handle, LDAPMessage* message, LdapEntry* entry) {
  BerElement* cursor = nullptr;
  for (char* name = ldap_first_attribute(handle, message, &cursor);
       name != nullptr; name = ldap_next_attribute(handle, message, cursor)) {
    berval** values = ldap_get_values_len(handle, message, name);
    std::vector<std::string>& list = entry->values[absl::AsciiStrToLower(name)];
    for (int i = 0; values != nullptr && values[i] != nullptr; ++i) {
      list.emplace_back(values[i]->bv_val, values[i]->bv_len);
    }
    ldap_value_free_len(values);
    ldap_memfree(name);
  }
  ber_free(cursor, 0);
}

LdapEntry ReadEntry(LDAP* handle, LDAPMessage* message) {
  LdapEntry entry;
  if (char* dn = ldap_get_dn(handle, message); dn != nullptr) {
    entry.dn = dn;
    ldap_memfree(dn);
  }
  ReadValues(handle, message, &entry);
  return entry;
}

}  // namespace

LdapConnection::Answer LdapConnection::Await(int code, int message_id) {
  if (code != LDAP_SUCCESS) return {.code = code, .diagnostic = "", .news = {}};
  timeval wait = absl::ToTimeval(timeout_);
  LDAPMessage* raw = nullptr;
  const int kind = ldap_result(handle_, message_id, LDAP_MSG_ALL, &wait, &raw);
  const Message result(raw);
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
  const Control policy = PolicyRequest(handle_);
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

bool LdapConnection::ComparesFirst() {
  // LDAP_CAP_ACTIVE_DIRECTORY_OID ([MS-ADTS] 3.1.1.3.4.3.1)
  constexpr std::string_view kActiveDirectory = "1.2.840.113556.1.4.800";
  const auto root = Search("", LdapScope::kBase, "(objectClass=*)",
                           {"objectClass", "supportedCapabilities"}, 1);
  if (!root.ok() || root->empty()) return false;
  for (const auto& [attribute, values] : root->front().values) {
    for (const std::string& value : values) {
      if (value == "OpenLDAProotDSE" || value == kActiveDirectory) return true;
    }
  }
  return false;
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
  const Control policy = PolicyRequest(handle_);
  LDAPControl* controls[] = {policy.get(), nullptr};
  int id = -1;
  const int begun =
      ldap_passwd(handle_, &who, &before, &after, controls, nullptr, &id);
  const Answer answer = Await(begun, id);
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
  if (answer.news.error == PolicyError::kNone) {
    return absl::FailedPreconditionError(
        absl::StrCat(std::string(WhyRefused(PolicyError::kNone)), ": ", text));
  }
  return absl::FailedPreconditionError(
      std::string(WhyRefused(answer.news.error)));
}

absl::StatusOr<std::vector<LdapEntry>> LdapConnection::Search(
    const std::string& base, LdapScope scope, const std::string& filter,
    const std::vector<std::string>& attributes, int most) {
  const DeadlineScope deadline(deadline_, timeout_);
  std::vector<char*> names;
  names.reserve(attributes.size() + 1);
  for (const std::string& name : attributes) {
    names.push_back(const_cast<char*>(name.c_str()));
  }
  names.push_back(nullptr);
  timeval wait = absl::ToTimeval(timeout_);
  LDAPMessage* raw = nullptr;
  const int code = ldap_search_ext_s(
      handle_, base.c_str(),
      scope == LdapScope::kBase ? LDAP_SCOPE_BASE : LDAP_SCOPE_SUBTREE,
      filter.c_str(), names.data(), /*attrsonly=*/0, nullptr, nullptr, &wait,
      most, &raw);
  const Message result(raw);
  std::vector<LdapEntry> entries;
  if (code == LDAP_NO_SUCH_OBJECT && scope == LdapScope::kBase) return entries;
  if (code == LDAP_SIZELIMIT_EXCEEDED) {
    return absl::OutOfRangeError(
        absl::StrCat("directory: more than ", most, " entries below ", base));
  }
  if (code != LDAP_SUCCESS) {
    return LdapUnclear(handle_, code, absl::StrCat("search below ", base));
  }
  for (LDAPMessage* message = ldap_first_entry(handle_, result.get());
       message != nullptr; message = ldap_next_entry(handle_, message)) {
    entries.push_back(ReadEntry(handle_, message));
  }
  return entries;
}

}  // namespace carme
