#include "backend/identity/ldap/password_status.h"

#include <cstddef>
#include <cstdint>
#include <utility>

#include "backend/identity/ldap/messages.h"
#include "common/protobuf/message_error.h"

namespace carme::backend {
namespace {

std::string ExpiryText(absl::Duration left) {
  if (left >= absl::Hours(48)) {
    return FormatMessage(ldap_messages::kNoteDaysLeft,
                         {{"count", left / absl::Hours(24)}});
  }
  if (left >= absl::Minutes(120)) {
    return FormatMessage(ldap_messages::kNoteHoursLeft,
                         {{"count", left / absl::Hours(1)}});
  }
  const int64_t minutes = left / absl::Minutes(1);
  if (minutes == 1) return FormatMessage(ldap_messages::kNoteMinuteLeft);
  return FormatMessage(ldap_messages::kNoteMinutesLeft, {{"count", minutes}});
}

std::string LoginsLeft(int left) {
  if (left == 0) return FormatMessage(ldap_messages::kNoteNoLoginLeft);
  if (left == 1) return FormatMessage(ldap_messages::kNoteOneLoginLeft);
  return FormatMessage(ldap_messages::kNoteLoginsLeft, {{"count", left}});
}

}  // namespace

PolicyError ActiveDirectoryError(std::string_view diagnostic) {
  // "80090308: LdapErr: DSID-0C09044E, comment: AcceptSecurityContext error,
  // data 532, v2580". The number is a Windows error code in hexadecimal
  // (winerror.h): ERROR_PASSWORD_EXPIRED is 1330.
  constexpr std::string_view kBefore = "AcceptSecurityContext error, data ";
  const size_t at = diagnostic.find(kBefore);
  if (at == std::string_view::npos) return PolicyError::kNone;
  std::string_view code = diagnostic.substr(at + kBefore.size());
  code = code.substr(0, code.find(','));
  if (code == "532") return PolicyError::kPasswordExpired;
  if (code == "773") return PolicyError::kChangeAfterReset;
  if (code == "775") return PolicyError::kAccountLocked;
  if (code == "533") return PolicyError::kAccountDisabled;
  if (code == "701") return PolicyError::kAccountExpired;
  if (code == "530" || code == "531") return PolicyError::kAccountRestricted;
  return PolicyError::kNone;
}

PolicyError ActiveDirectoryChangeError(std::string_view diagnostic) {
  // "0000052D: SvcErr: DSID-031A124C, problem 5003 (WILL_NOT_PERFORM), data 0".
  // The number is a Windows error code again; only Samba appends a reason:
  // "0000052D: Constraint violation - check_password_restrictions: the password
  // is too short. …"
  constexpr std::string_view kRules = "0000052D:";       // PASSWORD_RESTRICTION
  constexpr std::string_view kWrong = "00000056:";       // INVALID_PASSWORD
  constexpr std::string_view kNotAllowed = "00000005:";  // ACCESS_DENIED
  if (diagnostic.starts_with(kWrong)) return PolicyError::kWrongOldPassword;
  if (diagnostic.starts_with(kNotAllowed)) {
    return PolicyError::kPasswordModNotAllowed;
  }
  if (!diagnostic.starts_with(kRules)) return PolicyError::kNone;
  constexpr std::pair<std::string_view, PolicyError> kSambaMessages[] = {
      {"too short", PolicyError::kPasswordTooShort},
      {"complexity", PolicyError::kInsufficientPasswordQuality},
      {"already used", PolicyError::kPasswordInHistory},
      {"too young", PolicyError::kPasswordTooYoung},
  };
  for (const auto& [words, error] : kSambaMessages) {
    if (diagnostic.find(words) != std::string_view::npos) return error;
  }
  return PolicyError::kAgainstRules;
}

bool CanChangeExpired(PasswordChange change) {
  return change == PasswordChange::kActiveDirectory;
}

bool MustChange(const PasswordStatus& status, PasswordChange change) {
  return status.expired || status.error == PolicyError::kChangeAfterReset ||
         (change != PasswordChange::kOff && status.logins_left.value_or(0) > 0);
}

std::string PasswordMessage(const PasswordStatus& status,
                            PasswordChange change) {
  const bool reset = status.error == PolicyError::kChangeAfterReset;
  const bool changeable = status.expired ? CanChangeExpired(change)
                                         : change != PasswordChange::kOff;
  if (reset) {
    return FormatMessage(changeable ? ldap_messages::kNoteMustChange
                                    : ldap_messages::kNoteMustChangeElsewhere);
  }
  if (status.expired) {
    return FormatMessage(changeable ? ldap_messages::kNoteExpired
                                    : ldap_messages::kNoteExpiredElsewhere);
  }
  if (status.logins_left) return LoginsLeft(*status.logins_left);
  return status.expires_in ? ExpiryText(*status.expires_in) : "";
}

absl::Status RejectionError(PolicyError error, std::string_view text) {
  switch (error) {
    case PolicyError::kPasswordModNotAllowed:
      return MakeError(ldap_messages::kChangeNotAllowed);
    case PolicyError::kInsufficientPasswordQuality:
      return MakeError(ldap_messages::kTooEasy);
    case PolicyError::kPasswordTooShort:
      return MakeError(ldap_messages::kTooShort);
    case PolicyError::kPasswordTooLong:
      return MakeError(ldap_messages::kTooLong);
    case PolicyError::kPasswordTooYoung:
      return MakeError(ldap_messages::kTooYoung);
    case PolicyError::kPasswordInHistory:
      return MakeError(ldap_messages::kUsedBefore);
    case PolicyError::kMustSupplyOldPassword:
      return MakeError(ldap_messages::kOldRequired);
    case PolicyError::kPasswordExpired:
      return MakeError(ldap_messages::kExpiredElsewhere);
    case PolicyError::kAccountLocked:
    case PolicyError::kAccountDisabled:
    case PolicyError::kAccountExpired:
    case PolicyError::kAccountRestricted:
      return MakeError(ldap_messages::kLockedAccount);
    case PolicyError::kWrongOldPassword:
      return MakeError(ldap_messages::kOldPasswordWrong);
    case PolicyError::kAgainstRules:
      return MakeError(ldap_messages::kAgainstDirectoryRules);
    case PolicyError::kChangeAfterReset:
      return MakeError(ldap_messages::kMustChangeElsewhere);
    case PolicyError::kNone:
      break;
  }
  return MakeError(ldap_messages::kChangeRefused, {{"error", text}});
}

std::string PolicyErrorName(PolicyError error) {
  switch (error) {
    case PolicyError::kPasswordExpired:
      return FormatMessage(ldap_messages::kPasswordExpired);
    case PolicyError::kAccountLocked:
      return FormatMessage(ldap_messages::kAccountLocked);
    case PolicyError::kAccountDisabled:
      return FormatMessage(ldap_messages::kAccountDisabled);
    case PolicyError::kAccountExpired:
      return FormatMessage(ldap_messages::kAccountExpired);
    case PolicyError::kAccountRestricted:
      return FormatMessage(ldap_messages::kAccountRestricted);
    case PolicyError::kChangeAfterReset:
      return FormatMessage(ldap_messages::kPasswordMustChange);
    default:
      return "";
  }
}

}  // namespace carme::backend
