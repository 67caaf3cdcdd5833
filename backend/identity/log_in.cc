#include "backend/identity/log_in.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backend/identity/totp.h"
#include "common/status.h"

namespace carme {
namespace {

constexpr size_t kMostPasswordBytes = 1024;
constexpr size_t kMostChallengeBytes = 64;

// One sentence for whatever was wrong.
absl::Status Refused() {
  return absl::UnauthenticatedError(
      "user name, password or code is wrong, or you are not allowed in");
}

absl::Status DirectoryAway() {
  return absl::UnavailableError("the directory cannot be reached; try again");
}

absl::Status DiskAway() {
  return absl::UnavailableError("the log-in could not be recorded; try again");
}

}  // namespace

LogIn::LogIn(Parts parts)
    : parts_(std::move(parts)),
      throttle_(parts_.clock),
      challenges_(parts_.clock) {}

absl::StatusOr<PasswordAccepted> LogIn::CheckPassword(std::string_view username,
                                                      std::string_view password,
                                                      const Client& client,
                                                      LogInNote* note) {
  const bool plausible = IsUsername(username) && !password.empty() &&
                         password.size() <= kMostPasswordBytes;
  const std::string_view account = plausible ? username : std::string_view();
  if (absl::Status slow = throttle_.Try(account, client.address); !slow.ok()) {
    note->reason = "throttled";
    return slow;
  }
  if (!plausible) {
    note->reason = "no user name, or no password";
    return Refused();
  }
  absl::StatusOr<PasswordCheck> check =
      parts_.directory->CheckPassword(username, password);
  if (absl::IsUnauthenticated(check.status())) {
    note->reason = absl::StrCat(check.status().message());
    return Refused();
  }
  throttle_.GiveBack(account, client.address);
  if (!check.ok()) {
    note->reason = check.status().ToString();
    return DirectoryAway();
  }
  if (check->must_change) {
    note->reason = "the password must be changed";
    return Refused();
  }
  return OpenChallenge(check->person, note);
}

absl::StatusOr<PasswordAccepted> LogIn::OpenChallenge(const Person& person,
                                                      LogInNote* note) {
  note->username = person.username;
  const absl::StatusOr<bool> enrolled =
      parts_.factors->HasTotp(person.username);
  if (!enrolled.ok()) {
    note->reason = enrolled.status().ToString();
    return DiskAway();
  }
  PasswordAccepted accepted;
  if (!*enrolled) {
    accepted.new_secret = NewTotpSecret();
    accepted.otpauth_uri =
        OtpauthUri(accepted.new_secret, parts_.issuer, person.username);
  }
  accepted.challenge = challenges_.Open({person, accepted.new_secret});
  return accepted;
}

absl::StatusOr<NewSession> LogIn::CheckCode(const std::string& id,
                                            std::string_view code,
                                            const Client& client,
                                            LogInNote* note) {
  std::optional<Challenge> challenge;
  if (id.size() <= kMostChallengeBytes) challenge = challenges_.Take(id);
  const std::string account = challenge ? challenge->person.username : "";
  note->username = account;
  if (absl::Status slow = throttle_.Try(account, client.address); !slow.ok()) {
    if (challenge) challenges_.PutBackUnused(id);
    note->reason = "throttled";
    return slow;
  }
  if (!challenge) {
    note->reason = "no such challenge";
    return Refused();
  }
  if (absl::Status used = UseCode(id, *challenge, code, note); !used.ok()) {
    if (!absl::IsUnauthenticated(used)) {
      throttle_.GiveBack(account, client.address);
    }
    return used;
  }
  throttle_.Succeed(account, client.address);
  absl::StatusOr<NewSession> session = parts_.sessions->Begin(
      challenge->person, client.address, client.user_agent);
  if (!session.ok()) {
    note->reason = session.status().ToString();
    return DiskAway();
  }
  return session;
}

absl::Status LogIn::UseCode(const std::string& id, const Challenge& challenge,
                            std::string_view code, LogInNote* note) {
  const std::string& username = challenge.person.username;
  const absl::Time now = parts_.clock->Now();
  absl::Status used = challenge.new_secret.empty()
                          ? parts_.factors->UseTotp(username, code, now)
                          : parts_.factors->EnrolTotp(
                                username, challenge.new_secret, code, now);
  if (used.ok()) {
    challenges_.Close(id);
    return used;
  }
  note->reason = used.ToString();
  if (absl::IsUnauthenticated(used)) {
    challenges_.PutBack(id);
    return Refused();
  }
  challenges_.PutBackUnused(id);
  return DiskAway();
}

}  // namespace carme
