// Who people are and whether they know their password. What stands behind it
// is the site's own.
#ifndef CARME_BACKEND_IDENTITY_DIRECTORY_H_
#define CARME_BACKEND_IDENTITY_DIRECTORY_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/cord.h"
#include "backend/identity/session.h"
#include "common/ids.h"

namespace carme::backend {

struct Person {
  std::string username;  // as the directory writes it, not as it was typed
  std::string display_name;
  Uid uid = kNoUid;
  Role role = Role::kUser;
  // Names of the groups below the configured base; for policy.
  std::vector<std::string> groups = {};
  std::string mail = {};  // as the directory writes it; empty: it has none
};

// Whose session it is; without groups.
inline Person PersonOf(const Session& session) {
  return {.username = session.username,
          .display_name = session.display_name,
          .uid = session.uid,
          .role = session.role};
}

// The password was right.
struct PasswordCheck {
  Person person;
  // Nothing may begin before ChangePassword went well.
  bool must_change = false;
  // A sentence for the person about their password; mostly empty.
  std::string message = {};
};

inline constexpr char kUnclearPayload[] = "carme/unclear";
inline bool IsUnclear(const absl::Status& status) {
  return status.GetPayload(kUnclearPayload).has_value();
}

// Thread-safe. Every call blocks for a few time-outs of the configuration at
// most. UNAVAILABLE from any of them: the directory gave no answer that can be
// trusted; the message is for the log.
class Directory {
 public:
  virtual ~Directory() = default;
  // UNAUTHENTICATED: wrong password, unknown user, or one who is not allowed;
  // the message says which and is for the log alone.
  virtual absl::StatusOr<PasswordCheck> CheckPassword(
      std::string_view username, std::string_view password) = 0;

  // What CheckPassword would say of the person, asked without a password.
  // NOT_FOUND: unknown or not allowed; the message is for the log. UNAVAILABLE
  // besides, and IsUnclear: it answered, and what it said cannot be used.
  virtual absl::StatusOr<Person> LookUp(std::string_view username) = 0;

  // The name of a group below the configured base as Person.groups has it.
  // NOT_FOUND.
  virtual absl::StatusOr<std::string> FindGroup(std::string_view /*name*/) {
    return absl::UnavailableError("this directory does not list groups");
  }

  // The name of the one person who has this e-mail address. NOT_FOUND: none;
  // FAILED_PRECONDITION: several.
  virtual absl::StatusOr<std::string> FindByMail(std::string_view /*mail*/) {
    return absl::UnavailableError("this directory is not searched by e-mail");
  }

  // Changes it as the person; also one that must be changed. UNAUTHENTICATED:
  // the old one is wrong; the message is for the log. INVALID_ARGUMENT: against
  // the site's rules; FAILED_PRECONDITION: the directory refuses; both messages
  // say why and are for the person. After UNAVAILABLE it may have changed.
  virtual absl::Status ChangePassword(std::string_view username,
                                      std::string_view old_password,
                                      std::string_view new_password) = 0;

  // Whether passwords can be changed here at all.
  virtual bool ChangesPasswords() const = 0;
  // The site's rules for a new password, each in words: "at least 12
  // characters".
  virtual std::vector<std::string> PasswordRules() const = 0;
};

}  // namespace carme::backend

#endif  // CARME_BACKEND_IDENTITY_DIRECTORY_H_
