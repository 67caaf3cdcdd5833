// The password policy response of a directory, and its text for users. From the
// control of draft-behera-ldap-password-policy (OpenLDAP, 389 Directory Server)
// or from the diagnostic messages of Active Directory.
#ifndef CARME_BACKEND_IDENTITY_LDAP_PASSWORD_STATUS_H_
#define CARME_BACKEND_IDENTITY_LDAP_PASSWORD_STATUS_H_

#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
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
  // Only from Active Directory.
  kAccountDisabled,
  kAccountExpired,
  kAccountRestricted,  // to other hours or hosts
  kWrongOldPassword,
  kAgainstRules,  // it does not say which
};

// How passwords are changed.
enum class PasswordChange {
  kOff,              // not in Carme
  kRfc3062,          // by the Modify Password operation, bound as the user
  kActiveDirectory,  // by writing unicodePwd; also an expired password
};

struct PasswordStatus {
  PolicyError error = PolicyError::kNone;
  std::optional<int> logins_left;            // with a password that expired
  std::optional<absl::Duration> expires_in;  // before it does
  // The password was rejected because it has expired or must be changed. It was
  // right if the server compares it before it checks the age.
  bool expired = false;
};

// From the diagnostic message of a failed bind. kNone: not from Active
// Directory, or no details.
PolicyError ActiveDirectoryError(std::string_view diagnostic);

// From the diagnostic message of a failed change of Active Directory or Samba.
PolicyError ActiveDirectoryChangeError(std::string_view diagnostic);

// Whether an expired password can be changed.
bool CanChangeExpired(PasswordChange change);

// Whether a right password must be changed before a session begins. This
// includes an expired password whose last grace login is needed for the change.
bool MustChange(const PasswordStatus& status, PasswordChange change);
// The message for the user; may be empty.
std::string PasswordMessage(const PasswordStatus& status,
                            PasswordChange change);

// Why a new password was rejected, for the user. FAILED_PRECONDITION, and
// UNAUTHENTICATED for kWrongOldPassword. `text` is the directory's own, which
// is shown if there is no better one.
absl::Status RejectionError(PolicyError error, std::string_view text);
// Why an account was refused, for the log; may be empty.
std::string PolicyErrorName(PolicyError error);

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_LDAP_PASSWORD_STATUS_H_
