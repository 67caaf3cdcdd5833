#include "backend/identity/ldap/password_status.h"

#include <cstddef>
#include <utility>

#include "absl/strings/str_cat.h"

namespace carme::backend {
namespace {

constexpr std::string_view kAskAdministrator =
    "ask your administrator for a new one";

std::string Remaining(absl::Duration left) {
  const auto count = [](int64_t n, std::string_view unit) {
    return absl::StrCat(n, " ", std::string(unit), n == 1 ? "" : "s");
  };
  if (left >= absl::Hours(48)) return count(left / absl::Hours(24), "day");
  if (left >= absl::Minutes(120)) return count(left / absl::Hours(1), "hour");
  return count(left / absl::Minutes(1), "minute");
}

std::string LoginsLeft(int left) {
  if (left == 0) return "this was the last login with it";
  return absl::StrCat(left, left == 1 ? " login is left" : " logins are left");
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
  const std::string what =
      reset ? "your password must be changed" : "your password has expired";
  const bool changeable = status.expired ? CanChangeExpired(change)
                                         : change != PasswordChange::kOff;
  if ((status.expired || reset) && !changeable) {
    return absl::StrCat(
        what, ", and cannot be changed here: ", std::string(kAskAdministrator));
  }
  if (status.expired || reset) return absl::StrCat(what, ": choose a new one");
  if (status.logins_left) {
    return absl::StrCat(what, ": ", LoginsLeft(*status.logins_left));
  }
  if (status.expires_in) {
    return absl::StrCat("your password expires in ",
                        Remaining(*status.expires_in));
  }
  return "";
}

std::string_view RejectionText(PolicyError error) {
  switch (error) {
    case PolicyError::kPasswordModNotAllowed:
      return "the directory does not allow you to change your password";
    case PolicyError::kInsufficientPasswordQuality:
      return "the directory rejected the new password: too easy to guess";
    case PolicyError::kPasswordTooShort:
      return "the directory rejected the new password: too short";
    case PolicyError::kPasswordTooLong:
      return "the directory rejected the new password: too long";
    case PolicyError::kPasswordTooYoung:
      return "your password was changed too recently to be changed again";
    case PolicyError::kPasswordInHistory:
      return "you have used the new password before";
    case PolicyError::kMustSupplyOldPassword:
      return "the directory requires the old password too";
    case PolicyError::kPasswordExpired:
      return "your password has expired, and the directory accepts no new one "
             "from you any more: ask your administrator";
    case PolicyError::kAccountLocked:
    case PolicyError::kAccountDisabled:
    case PolicyError::kAccountExpired:
    case PolicyError::kAccountRestricted:
      return "the directory has locked your account";
    case PolicyError::kWrongOldPassword:
      return "the old password is wrong";
    case PolicyError::kAgainstRules:
      return "the directory's rules refuse the new password: it is too short "
             "or too easy to guess, or one that you had before, or the old one "
             "is too new to be changed again";
    case PolicyError::kChangeAfterReset:
      return "your password must be changed, and cannot be changed here: ask "
             "your administrator";
    case PolicyError::kNone:
      break;
  }
  return "the directory refused the new password";
}

std::string_view PolicyErrorName(PolicyError error) {
  switch (error) {
    case PolicyError::kPasswordExpired:
      return "password expired";
    case PolicyError::kAccountLocked:
      return "account locked";
    case PolicyError::kAccountDisabled:
      return "account disabled";
    case PolicyError::kAccountExpired:
      return "account expired";
    case PolicyError::kAccountRestricted:
      return "account restricted to other hours or hosts";
    case PolicyError::kChangeAfterReset:
      return "password must be changed";
    default:
      return "";
  }
}

}  // namespace carme::backend
