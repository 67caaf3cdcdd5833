// The site's directory: looks up people and checks and changes their passwords.
#ifndef CARME_BACKEND_IDENTITY_DIRECTORY_H_
#define CARME_BACKEND_IDENTITY_DIRECTORY_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/cord.h"
#include "backend/identity/person.h"
#include "backend/identity/person_lookup.h"

namespace carme::backend {

// The password was right.
struct PasswordCheck {
  Person person;
  // The password must be changed before a session begins.
  bool must_change = false;
  // A message for the user about the password; usually empty.
  std::string message = {};
};

inline constexpr char kIndeterminatePayload[] = "carme/unclear";
inline bool IsIndeterminate(const absl::Status& status) {
  return status.GetPayload(kIndeterminatePayload).has_value();
}

// Thread-safe. Every call blocks for at most a few of the configured time-outs.
// UNAVAILABLE from any call: the directory failed or its response cannot be
// trusted; the message is for the log.
class Directory : public PersonLookup {
 public:
  // UNAUTHENTICATED: wrong password, unknown user, or user not allowed; the
  // message names the cause and is for the log only.
  virtual absl::StatusOr<PasswordCheck> CheckPassword(
      std::string_view username, std::string_view password) = 0;

  // The user that CheckPassword would return, without a password. NOT_FOUND:
  // unknown or not allowed; the message is for the log. UNAVAILABLE with
  // IsIndeterminate(): the directory responded, but the entry is ambiguous or
  // incomplete.
  absl::StatusOr<Person> LookUp(std::string_view username) override = 0;

  // The name of a group below the configured base, as in Person.groups.
  // NOT_FOUND.
  virtual absl::StatusOr<std::string> FindGroup(std::string_view /*name*/) {
    return absl::UnavailableError("this directory does not list groups");
  }

  // The user name of the only user with this e-mail address. NOT_FOUND: none;
  // FAILED_PRECONDITION: several.
  virtual absl::StatusOr<std::string> FindByMail(std::string_view /*mail*/) {
    return absl::UnavailableError("this directory is not searched by e-mail");
  }

  // Changes the password as the user; also an expired one. UNAUTHENTICATED: the
  // old password is wrong; the message is for the log. INVALID_ARGUMENT:
  // violates the site's rules; FAILED_PRECONDITION: rejected by the directory;
  // both messages are for the user. After UNAVAILABLE the password may have
  // changed.
  virtual absl::Status ChangePassword(std::string_view username,
                                      std::string_view old_password,
                                      std::string_view new_password) = 0;

  // Whether passwords can be changed in Carme.
  virtual bool ChangesPasswords() const = 0;
  // The site's rules for a new password as text: "at least 12 characters".
  virtual std::vector<std::string> PasswordRules() const = 0;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_DIRECTORY_H_
