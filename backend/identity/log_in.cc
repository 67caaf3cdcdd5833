#include "backend/identity/log_in.h"

#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "backend/identity/totp.h"
#include "backend/identity/username.h"
#include "common/random.h"
#include "common/status.h"

namespace carme::backend {
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

bool IsPlausible(std::string_view username, std::string_view password) {
  return IsUsername(username) && !password.empty() &&
         password.size() <= kMostPasswordBytes;
}

// What the client hears of a factor that came first, or could not be judged.
absl::Status NotShown(const absl::Status& why, LogInNote* note) {
  if (absl::IsResourceExhausted(why)) {
    note->reason = "throttled: second factor first";
    return why;
  }
  note->reason = absl::StrCat("second factor first: ", why.ToString());
  if (IsWrong(why)) return Refused();
  return absl::UnavailableError("the log-in cannot be checked now; try again");
}

}  // namespace

LogIn::LogIn(Parts parts)
    : parts_(std::move(parts)),
      challenges_(parts_.clock),
      early_({parts_.directory, parts_.factor, parts_.throttle, parts_.clock}) {
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
  const bool plausible = IsPlausible(username, password);
  RETURN_IF_ERROR(TryPassword(plausible ? username : "", client, note));
  if (!plausible) {
    note->reason = "no user name, or no password";
    return Refused();
  }
  ASSIGN_OR_RETURN(
      const PasswordCheck check,
      AskDirectory(username, password, client, Guess::kPassword, note));
  return OpenChallenge(check, username, client, note);
}

absl::Status LogIn::TryPassword(std::string_view username, const Client& client,
                                LogInNote* note) {
  const absl::Status slow = parts_.throttle->Try(username, client.address);
  if (slow.ok()) return slow;
  note->reason = "throttled";
  if (!FactorFirst(slow)) return slow;
  // Being asked for a factor is no guess, but not to be had without end.
  if (!parts_.throttle->Knows(username, client.address)) {
    RETURN_IF_ERROR(parts_.throttle->Try("", client.address));
  }
  note->reason = "throttled: second factor first";
  return slow;
}

absl::StatusOr<PasswordCheck> LogIn::AskDirectory(std::string_view username,
                                                  std::string_view password,
                                                  const Client& client,
                                                  Guess guess,
                                                  LogInNote* note) {
  absl::StatusOr<PasswordCheck> check =
      parts_.directory->CheckPassword(username, password);
  if (absl::IsUnauthenticated(check.status())) {
    absl::StrAppend(&note->reason, check.status().message());
    return Refused();
  }
  parts_.throttle->GiveBack(username, client.address, guess);
  if (check.ok()) return check;
  absl::StrAppend(&note->reason, check.status().ToString());
  return DirectoryAway();
}

absl::StatusOr<PasswordAccepted> LogIn::CheckBoth(std::string_view username,
                                                  std::string_view password,
                                                  const EarlyAnswer& early,
                                                  const Client& client,
                                                  LogInNote* note) {
  if (!IsPlausible(username, password)) {
    return CheckPassword(username, password, client, note);
  }
  const absl::StatusOr<Person> shown =
      early_.Check(username, early, client.address, &note->username);
  if (!shown.ok()) return NotShown(shown.status(), note);
  if (const absl::Status slow =
          parts_.throttle->Try(username, client.address, Guess::kProved);
      !slow.ok()) {
    note->reason = "throttled, with the right second factor";
    return slow;
  }
  note->reason = "right second factor first, then: ";
  ASSIGN_OR_RETURN(
      const PasswordCheck check,
      AskDirectory(username, password, client, Guess::kProved, note));
  absl::Status spent = early_.Spend(shown->uid, early.answer, client.address);
  if (check.person.uid != shown->uid) {
    spent = absl::UnauthenticatedError("the directory named two people");
  }
  if (!spent.ok()) return NotShown(spent, note);
  note->reason = "second factor first";
  PasswordAccepted accepted{.proved = true};
  Keep(check, username, client, &accepted);
  return accepted;
}

absl::StatusOr<PasswordAccepted> LogIn::OpenChallenge(
    const PasswordCheck& check, std::string_view typed, const Client& client,
    LogInNote* note) {
  note->username = check.person.username;
  PasswordAccepted accepted;
  if (const absl::Status offered = OfferFactors(check.person, &accepted);
      !offered.ok()) {
    note->reason = offered.ToString();
    return absl::IsFailedPrecondition(offered) ? Refused() : DiskAway();
  }
  Keep(check, typed, client, &accepted);
  return accepted;
}

absl::Status LogIn::OfferFactors(const Person& person,
                                 PasswordAccepted* accepted) {
  ASSIGN_OR_RETURN(accepted->offer, parts_.factor->OfferOf(person.uid));
  if (!accepted->offer.enrolled()) {
    RETURN_IF_ERROR(OfferEnrolment(person, accepted));
  }
  if (!accepted->user_handle.empty() ||
      !accepted->offer.credential_ids.empty()) {
    accepted->passkey_challenge = RandomBytes(kPasskeyChallengeBytes);
  }
  return absl::OkStatus();
}

void LogIn::Keep(const PasswordCheck& check, std::string_view typed,
                 const Client& client, PasswordAccepted* accepted) {
  const Person& person = check.person;
  accepted->username = person.username;
  accepted->display_name = person.display_name;
  accepted->must_change = check.must_change;
  accepted->message = check.message;
  if (check.must_change) {
    accepted->password_rules = parts_.directory->PasswordRules();
  }
  accepted->challenge = challenges_.Open(
      {.person = person,
       .at_habit = parts_.throttle->Knows(person.username, client.address),
       .typed = std::string(typed),
       .enrols = !accepted->proved && !accepted->offer.enrolled(),
       .new_secret = accepted->new_secret,
       .passkey_challenge = accepted->passkey_challenge,
       .must_change = check.must_change,
       .proved = accepted->proved});
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

}  // namespace carme::backend
