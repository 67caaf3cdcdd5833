#include "backend/identity/log_in.h"

#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "backend/identity/totp.h"
#include "backend/identity/username.h"
#include "common/random.h"
#include "common/status.h"

namespace carme {
namespace {

constexpr size_t kMostPasswordBytes = 1024;
constexpr size_t kMostChallengeBytes = 64;
constexpr char kFirstTotpName[] = "Authenticator app";

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

// Whether the answer was at fault, and not the disk.
bool IsWrong(const absl::Status& status) {
  return absl::IsUnauthenticated(status) || absl::IsInvalidArgument(status) ||
         absl::IsAlreadyExists(status);
}

// Whether a new password was refused for a reason that its owner may read.
bool IsWordsForPerson(const absl::Status& status) {
  return absl::IsInvalidArgument(status) || absl::IsFailedPrecondition(status);
}

}  // namespace

LogIn::LogIn(Parts parts)
    : parts_(std::move(parts)), challenges_(parts_.clock) {
  parts_.sessions->OnEndAll(
      [this](Uid person) { challenges_.DropAllOf(person); });
}

Claimant LogIn::WhoTypes(std::string_view username,
                         const Client& client) const {
  Claimant who{.address = client.address};
  who.at_habit =
      IsUsername(username) && parts_.throttle->Knows(username, client.address);
  if (who.at_habit) {
    who.account = absl::AsciiStrToLower(
        absl::string_view(username.data(), username.size()));
  }
  return who;
}

Claimant LogIn::WhoHolds(const std::string& challenge, const Client& client) {
  Claimant who{.address = client.address};
  if (challenge.size() <= kMostChallengeBytes) {
    who.account = challenges_.AccountOf(challenge);
  }
  who.at_habit = parts_.throttle->Knows(who.account, client.address);
  return who;
}

absl::StatusOr<PasswordAccepted> LogIn::CheckPassword(std::string_view username,
                                                      std::string_view password,
                                                      const Client& client,
                                                      LogInNote* note) {
  const bool plausible = IsUsername(username) && !password.empty() &&
                         password.size() <= kMostPasswordBytes;
  const std::string_view account = plausible ? username : std::string_view();
  if (absl::Status slow = parts_.throttle->Try(account, client.address);
      !slow.ok()) {
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
  parts_.throttle->GiveBack(account, client.address);
  if (!check.ok()) {
    note->reason = check.status().ToString();
    return DirectoryAway();
  }
  return OpenChallenge(*check, username, client, note);
}

absl::StatusOr<PasswordAccepted> LogIn::OpenChallenge(
    const PasswordCheck& check, std::string_view typed, const Client& client,
    LogInNote* note) {
  const Person& person = check.person;
  note->username = person.username;
  absl::StatusOr<FactorOffer> offer = parts_.factor->OfferOf(person.uid);
  if (!offer.ok()) {
    note->reason = offer.status().ToString();
    return DiskAway();
  }
  PasswordAccepted accepted{.offer = *std::move(offer),
                            .username = person.username,
                            .display_name = person.display_name,
                            .must_change = check.must_change,
                            .message = check.message};
  if (check.must_change) {
    accepted.password_rules = parts_.directory->PasswordRules();
  }
  const bool enrols = !accepted.offer.enrolled();
  if (enrols) {
    const absl::Status offered = OfferEnrolment(person, &accepted);
    if (!offered.ok()) {
      note->reason = offered.ToString();
      return absl::IsFailedPrecondition(offered) ? Refused() : DiskAway();
    }
  }
  if (!accepted.user_handle.empty() || !accepted.offer.credential_ids.empty()) {
    accepted.passkey_challenge = RandomBytes(kPasskeyChallengeBytes);
  }
  accepted.challenge = challenges_.Open(
      {.person = person,
       .at_habit = parts_.throttle->Knows(person.username, client.address),
       .typed = std::string(typed),
       .enrols = enrols,
       .new_secret = accepted.new_secret,
       .passkey_challenge = accepted.passkey_challenge,
       .must_change = check.must_change});
  return accepted;
}

absl::Status LogIn::OfferEnrolment(const Person& person,
                                   PasswordAccepted* accepted) {
  // Codes of old are worth nothing to an account that has no factor.
  accepted->offer.recovery = false;
  const std::vector<FactorKind> allowed =
      AllowedFactors(*parts_.policy, person.groups);
  if (Allows(allowed, FactorKind::kTotp)) {
    accepted->new_secret = NewTotpSecret();
    accepted->otpauth_uri =
        OtpauthUri(accepted->new_secret, parts_.issuer, person.username);
  }
  if (Allows(allowed, FactorKind::kPasskey)) {
    ASSIGN_OR_RETURN(accepted->user_handle, parts_.people->Handle(person));
  }
  if (!allowed.empty()) return absl::OkStatus();
  return absl::FailedPreconditionError(
      "the rules of [factors] allow this person no second factor at all");
}

absl::StatusOr<LoggedIn> LogIn::CheckFactor(const std::string& id,
                                            const FactorStep& step,
                                            const Client& client,
                                            LogInNote* note) {
  std::optional<Challenge> challenge;
  if (id.size() <= kMostChallengeBytes) challenge = challenges_.Take(id);
  const std::string account = challenge ? challenge->person.username : "";
  note->username = account;
  if (absl::Status slow =
          parts_.throttle->Try(account, client.address, Guess::kFactor);
      !slow.ok()) {
    if (challenge) challenges_.PutBackUnused(id);
    note->reason = "throttled";
    return slow;
  }
  if (!challenge) {
    note->reason = "no such challenge";
    return Refused();
  }
  absl::StatusOr<std::vector<std::string>> codes =
      UseChallenge(id, *challenge, step, client, note);
  if (!codes.ok()) {
    if (!absl::IsUnauthenticated(codes.status())) {
      parts_.throttle->GiveBack(account, client.address, Guess::kFactor);
    }
    return codes.status();
  }
  parts_.throttle->Succeed(account, client.address);
  parts_.throttle->Welcome(challenge->typed, client.address);
  ASSIGN_OR_RETURN(LoggedIn logged_in, Finish(id, *challenge, client, note));
  logged_in.recovery_codes = *std::move(codes);
  return logged_in;
}

absl::StatusOr<LoggedIn> LogIn::Finish(const std::string& id,
                                       const Challenge& challenge,
                                       const Client& client, LogInNote* note) {
  absl::StatusOr<LoggedIn> made = BeginSession(challenge.person, client, note);
  // In this order: who ends all sessions of the person, which first drops the
  // challenges, misses neither this one nor its session.
  const bool dropped = !challenges_.Close(id);
  if (!made.ok()) return made;
  const SessionId& session = made->session.session.id;
  if (dropped) {
    parts_.sessions->End(session).IgnoreError();  // Sweep tells the disk
    note->reason = "the person's sessions were ended meanwhile";
    return Refused();
  }
  // What was begun with the old password is over.
  if (challenge.must_change) {
    parts_.sessions->EndAllOf(challenge.person.uid, session);
  }
  return made;
}

absl::StatusOr<LoggedIn> LogIn::BeginSession(const Person& person,
                                             const Client& client,
                                             LogInNote* note) {
  const absl::StatusOr<std::string> known = parts_.people->Touch(person);
  absl::StatusOr<NewSession> session =
      known.ok()
          ? parts_.sessions->Begin(person, client.address, client.user_agent)
          : known.status();
  if (!session.ok()) {
    note->reason = session.status().ToString();
    return DiskAway();
  }
  return LoggedIn{.session = *std::move(session)};
}

absl::StatusOr<std::vector<std::string>> LogIn::Prove(
    const Challenge& challenge, const FactorAnswer& answer,
    const Client& client) {
  const Uid uid = challenge.person.uid;
  if (challenge.proved) return challenge.recovery_codes;
  if (!challenge.enrols) {
    RETURN_IF_ERROR(parts_.factor->Check(
        uid, answer, challenge.passkey_challenge, client.address));
    return std::vector<std::string>();
  }
  ASSIGN_OR_RETURN(
      Enrolment made,
      parts_.factor->Add(uid, answer, kFirstTotpName,
                         {challenge.new_secret, challenge.passkey_challenge},
                         Enrol::kFirst));
  return std::move(made.recovery_codes);
}

absl::StatusOr<std::vector<std::string>> LogIn::UseChallenge(
    const std::string& id, const Challenge& challenge, const FactorStep& step,
    const Client& client, LogInNote* note) {
  absl::StatusOr<std::vector<std::string>> codes =
      Prove(challenge, step.answer, client);
  absl::Status changed;
  if (codes.ok() && challenge.must_change) {
    changed = parts_.directory->ChangePassword(
        challenge.person.username, step.old_password, step.new_password);
  }
  const absl::Status outcome = codes.ok() ? changed : codes.status();
  if (outcome.ok()) return codes;
  note->reason = outcome.ToString();
  if (codes.ok()) {
    challenges_.KeepProved(id, *std::move(codes));
    if (absl::IsUnauthenticated(outcome)) {
      challenges_.PutBack(id);
    } else {
      challenges_.PutBackUnused(id);
    }
    if (IsWordsForPerson(outcome)) return outcome;
    return absl::IsUnauthenticated(outcome) ? Refused() : DirectoryAway();
  }
  if (IsWrong(outcome)) {
    challenges_.PutBack(id);
    return Refused();
  }
  challenges_.PutBackUnused(id);
  return DiskAway();
}

}  // namespace carme
