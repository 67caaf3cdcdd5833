// What a directory says of a password beside yes and no, and that in words.
// From the control of draft-behera-ldap-password-policy, which OpenLDAP and 389
// Directory Server have, or from Active Directory's diagnostic messages.
#ifndef CARME_BACKEND_IDENTITY_LDAP_PASSWORD_STATUS_H_
#define CARME_BACKEND_IDENTITY_LDAP_PASSWORD_STATUS_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/time/time.h"

namespace carme::backend {

enum class PolicyError {
  kNone,
  kPasswordExpired,
  kAccountLocked,
  kChangeAfterReset,
  kPasswordModNotAllowed,
  kMustSupplyOldPassword,
  kInsufficientPasswordQuality,
  kPasswordTooShort,
  kPasswordTooYoung,
  kPasswordInHistory,
  kPasswordTooLong,
  // Active Directory's only.
  kAccountDisabled,
  kAccountExpired,
  kAccountRestricted,  // to other hours or hosts
  kWrongOldPassword,
  kAgainstRules,  // it does not say which
};

// How passwords are changed.
enum class PasswordChange {
  kOff,              // not here
  kRfc3062,          // by the operation for that, as the person
  kActiveDirectory,  // by writing unicodePwd; also one that opens nothing more
};

struct PasswordStatus {
  PolicyError error = PolicyError::kNone;
  std::optional<int> logins_left;            // with a password that expired
  std::optional<absl::Duration> expires_in;  // before it does
  // It opens nothing: it expired or must change. It was right, if the server
  // compares before it looks at the age.
  bool expired = false;
};

// From the diagnostic message of a bind that failed. kNone when it is not
// Active Directory's or tells nothing more.
PolicyError ActiveDirectoryError(std::string_view diagnostic);

// From that of a change that failed: Active Directory's or Samba's.
PolicyError ActiveDirectoryChangeError(std::string_view diagnostic);

// Whether a password is changed that opens nothing more.
bool CanChangeExpired(PasswordChange change);

// The password was right: whether nothing may begin before it is changed.
// A password in its last log-ins must be changed where that can be done, while
// one log-in is left to do it with.
bool MustChange(const PasswordStatus& news, PasswordChange change);
// The sentence for the person; empty when there is nothing to say.
std::string PasswordMessage(const PasswordStatus& news, PasswordChange change);

// Why a new password was refused, for the person.
std::string_view RejectionText(PolicyError error);
// Why an account was refused, for the log.
std::string_view PolicyErrorName(PolicyError error);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_LDAP_PASSWORD_STATUS_H_
