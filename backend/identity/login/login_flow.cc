#include "backend/identity/login/login_flow.h"

#include <optional>
#include <utility>

#include "absl/strings/ascii.h"
#include "backend/identity/factors/totp.h"
#include "backend/identity/login/messages.h"
#include "backend/identity/users/username.h"
#include "common/protobuf/message_error.h"
#include "common/random.h"
#include "common/status.h"

namespace carme::backend {
namespace {

constexpr size_t kMaxPasswordBytes = 1024;
constexpr size_t kMaxChallengeBytes = 64;

absl::Status Refused() { return MakeError(login_messages::kRefused); }

absl::Status DirectoryUnavailable() {
  return MakeError(login_messages::kDirectoryUnavailable);
}

absl::Status LoginNotRecorded() {
  return MakeError(login_messages::kNotRecorded);
}

// Whether the input was wrong, as opposed to a failure of the disk.
bool IsWrong(const absl::Status& status) {
  return absl::IsUnauthenticated(status) || absl::IsInvalidArgument(status) ||
         absl::IsAlreadyExists(status);
}

// Whether the message of a rejected new password is for its owner.
bool IsMessageForUser(const absl::Status& status) {
  return absl::IsInvalidArgument(status) || absl::IsFailedPrecondition(status);
}

bool IsPlausible(std::string_view username, std::string_view password) {
  return IsUsername(username) && !password.empty() &&
         password.size() <= kMaxPasswordBytes;
}

// Converts an error of a factor-first check to one that the client may see.
absl::Status HiddenError(const absl::Status& why, LoginAuditDetail* note) {
  if (absl::IsResourceExhausted(why)) {
    note->reason = FormatMessage(login_messages::kAuditThrottledFactorFirst);
    return why;
  }
  note->reason = FormatMessage(login_messages::kAuditFactorFirstFailed,
                               {{"cause", StatusText(why)}});
  if (IsWrong(why)) return Refused();
  return MakeError(login_messages::kNotChecked);
}

}  // namespace

LoginFlow::LoginFlow(Parts parts)
    : parts_(std::move(parts)),
      challenges_(parts_.clock),
      factor_first_(
          {parts_.directory, parts_.factor, parts_.throttle, parts_.clock}) {
  parts_.sessions->OnEndAll(
      [this](Uid person) { challenges_.RemoveAllOf(person); });
}

LoginAttempt LoginFlow::AttemptForUser(std::string_view username,
                                       const Client& client) const {
  LoginAttempt who{.address = client.address};
  who.known_address = IsUsername(username) &&
                      parts_.throttle->IsKnownAddress(username, client.address);
  if (who.known_address) {
    who.account = absl::AsciiStrToLower(
        absl::string_view(username.data(), username.size()));
  }
  return who;
}

LoginAttempt LoginFlow::AttemptForChallenge(const std::string& challenge,
                                            const Client& client) {
  LoginAttempt who{.address = client.address};
  if (challenge.size() <= kMaxChallengeBytes) {
    who.account = challenges_.AccountOf(challenge);
  }
  who.known_address =
      parts_.throttle->IsKnownAddress(who.account, client.address);
  return who;
}

absl::StatusOr<PasswordAccepted> LoginFlow::CheckPassword(
    std::string_view username, std::string_view password, const Client& client,
    LoginAuditDetail* note) {
  const bool plausible = IsPlausible(username, password);
  RETURN_IF_ERROR(TryPassword(plausible ? username : "", client, note));
  if (!plausible) {
    note->reason = FormatMessage(login_messages::kAuditNoInput);
    return Refused();
  }
  ASSIGN_OR_RETURN(
      const PasswordCheck check,
      AskDirectory(username, password, client, Guess::kPassword, note));
  return OpenChallenge(check, username, client, note);
}

absl::Status LoginFlow::TryPassword(std::string_view username,
                                    const Client& client,
                                    LoginAuditDetail* note) {
  const absl::Status slow = parts_.throttle->Try(username, client.address);
  if (slow.ok()) return slow;
  note->reason = FormatMessage(login_messages::kAuditThrottled);
  if (!FactorFirstWait(slow)) return slow;
  // A request for the factor is not an attempt, but it is limited by address.
  if (!parts_.throttle->IsKnownAddress(username, client.address)) {
    RETURN_IF_ERROR(parts_.throttle->Try("", client.address));
  }
  note->reason = FormatMessage(login_messages::kAuditThrottledFactorFirst);
  return slow;
}

absl::StatusOr<PasswordCheck> LoginFlow::AskDirectory(std::string_view username,
                                                      std::string_view password,
                                                      const Client& client,
                                                      Guess guess,
                                                      LoginAuditDetail* note) {
  absl::StatusOr<PasswordCheck> check =
      parts_.directory->CheckPassword(username, password);
  if (absl::IsUnauthenticated(check.status())) {
    note->reason = std::string(check.status().message());
    return Refused();
  }
  parts_.throttle->Refund(username, client.address, guess);
  if (check.ok()) return check;
  note->reason = StatusText(check.status());
  return DirectoryUnavailable();
}

absl::StatusOr<PasswordAccepted> LoginFlow::CheckBoth(
    std::string_view username, std::string_view password,
    const FactorFirstAnswer& first, const Client& client,
    LoginAuditDetail* note) {
  if (!IsPlausible(username, password)) {
    return CheckPassword(username, password, client, note);
  }
  const absl::StatusOr<Person> shown =
      factor_first_.Check(username, first, client.address, &note->username);
  if (!shown.ok()) return HiddenError(shown.status(), note);
  if (const absl::Status slow = parts_.throttle->Try(
          username, client.address, Guess::kPasswordAfterFactor);
      !slow.ok()) {
    note->reason = FormatMessage(login_messages::kAuditThrottledAfterFactor);
    return slow;
  }
  const absl::StatusOr<PasswordCheck> check = AskDirectory(
      username, password, client, Guess::kPasswordAfterFactor, note);
  if (!check.ok()) {
    note->reason =
        FormatMessage(login_messages::kAuditPasswordAfterFactorFailed,
                      {{"cause", note->reason}});
    return check.status();
  }
  absl::Status spent =
      factor_first_.Spend(shown->uid, first.answer, client.address);
  if (check->person.uid != shown->uid) {
    spent = MakeError(login_messages::kTwoUsers);
  }
  if (!spent.ok()) return HiddenError(spent, note);
  note->reason = FormatMessage(login_messages::kAuditFactorFirst);
  PasswordAccepted accepted{.proved = true};
  StoreChallenge(*check, username, client, &accepted);
  return accepted;
}

absl::StatusOr<PasswordAccepted> LoginFlow::OpenChallenge(
    const PasswordCheck& check, std::string_view typed, const Client& client,
    LoginAuditDetail* note) {
  note->username = check.person.username;
  PasswordAccepted accepted;
  if (const absl::Status offered = OfferFactors(check.person, &accepted);
      !offered.ok()) {
    note->reason = StatusText(offered);
    return absl::IsFailedPrecondition(offered) ? Refused() : LoginNotRecorded();
  }
  StoreChallenge(check, typed, client, &accepted);
  return accepted;
}

absl::Status LoginFlow::OfferFactors(const Person& person,
                                     PasswordAccepted* accepted) {
  ASSIGN_OR_RETURN(accepted->offer, parts_.factor->OfferOf(person.uid));
  if (!accepted->offer.enrolled()) {
    RETURN_IF_ERROR(OfferEnrollment(person, accepted));
  }
  if (!accepted->user_handle.empty() ||
      !accepted->offer.credential_ids.empty()) {
    accepted->passkey_challenge = RandomBytes(kPasskeyChallengeBytes);
  }
  return absl::OkStatus();
}

void LoginFlow::StoreChallenge(const PasswordCheck& check,
                               std::string_view typed, const Client& client,
                               PasswordAccepted* accepted) {
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
       .known_address =
           parts_.throttle->IsKnownAddress(person.username, client.address),
       .typed = std::string(typed),
       .enrolls = !accepted->proved && !accepted->offer.enrolled(),
       .new_secret = accepted->new_secret,
       .passkey_challenge = accepted->passkey_challenge,
       .must_change = check.must_change,
       .proved = accepted->proved});
}

absl::Status LoginFlow::OfferEnrollment(const Person& person,
                                        PasswordAccepted* accepted) {
  // Old recovery codes are invalid for an account without a factor.
  accepted->offer.recovery = false;
  const std::vector<v1::Factor> allowed =
      AllowedFactors(*parts_.policy, person.groups);
  if (Allows(allowed, v1::FACTOR_TOTP)) {
    accepted->new_secret = NewTotpSecret();
    accepted->otpauth_uri =
        OtpauthUri(accepted->new_secret, parts_.issuer, person.username);
  }
  if (Allows(allowed, v1::FACTOR_PASSKEY)) {
    ASSIGN_OR_RETURN(accepted->user_handle, parts_.users->UserHandle(person));
  }
  if (!allowed.empty()) return absl::OkStatus();
  return MakeError(login_messages::kNoFactorAllowed);
}

absl::StatusOr<LoggedIn> LoginFlow::CheckFactor(const std::string& id,
                                                const FactorStep& step,
                                                const Client& client,
                                                LoginAuditDetail* note) {
  std::optional<Challenge> challenge;
  if (id.size() <= kMaxChallengeBytes) challenge = challenges_.Take(id);
  const std::string account = challenge ? challenge->person.username : "";
  note->username = account;
  if (absl::Status slow =
          parts_.throttle->Try(account, client.address, Guess::kFactor);
      !slow.ok()) {
    if (challenge) challenges_.PutBackUnused(id);
    note->reason = FormatMessage(login_messages::kAuditThrottled);
    return slow;
  }
  if (!challenge) {
    note->reason = FormatMessage(login_messages::kAuditNoChallenge);
    return Refused();
  }
  absl::StatusOr<std::vector<std::string>> codes =
      UseChallenge(id, *challenge, step, client, note);
  if (!codes.ok()) {
    if (!absl::IsUnauthenticated(codes.status())) {
      parts_.throttle->Refund(account, client.address, Guess::kFactor);
    }
    return codes.status();
  }
  parts_.throttle->RecordSuccess(account, client.address);
  parts_.throttle->AddKnownAddress(challenge->typed, client.address);
  ASSIGN_OR_RETURN(LoggedIn logged_in, Finish(id, *challenge, client, note));
  logged_in.recovery_codes = *std::move(codes);
  return logged_in;
}

absl::StatusOr<LoggedIn> LoginFlow::Finish(const std::string& id,
                                           const Challenge& challenge,
                                           const Client& client,
                                           LoginAuditDetail* note) {
  absl::StatusOr<LoggedIn> made = BeginSession(challenge.person, client, note);
  // The order matters: ending all sessions of a user first removes the
  // challenges, so that it finds either this challenge or its session.
  const bool dropped = !challenges_.Close(id);
  if (!made.ok()) return made;
  const SessionId& session = made->session.session.id;
  if (dropped) {
    parts_.sessions->End(session).IgnoreError();  // Sweep() writes it
    note->reason = FormatMessage(login_messages::kAuditSessionsEnded);
    return Refused();
  }
  // Sessions that began with the old password end.
  if (challenge.must_change) {
    parts_.sessions->EndAllOf(challenge.person.uid, session);
  }
  return made;
}

absl::StatusOr<LoggedIn> LoginFlow::BeginSession(const Person& person,
                                                 const Client& client,
                                                 LoginAuditDetail* note) {
  const absl::StatusOr<std::string> known = parts_.users->RecordLogin(person);
  absl::StatusOr<NewSession> session =
      known.ok()
          ? parts_.sessions->Begin(person, client.address, client.user_agent)
          : known.status();
  if (!session.ok()) {
    note->reason = StatusText(session.status());
    return LoginNotRecorded();
  }
  return LoggedIn{.session = *std::move(session)};
}

absl::StatusOr<std::vector<std::string>> LoginFlow::VerifyFactor(
    const Challenge& challenge, const FactorAnswer& answer,
    const Client& client) {
  const Uid uid = challenge.person.uid;
  if (challenge.proved) return challenge.recovery_codes;
  if (!challenge.enrolls) {
    RETURN_IF_ERROR(parts_.factor->Check(
        uid, answer, challenge.passkey_challenge, client.address));
    return std::vector<std::string>();
  }
  ASSIGN_OR_RETURN(
      Enrollment made,
      parts_.factor->Enroll(uid, answer,
                            FormatMessage(login_messages::kFirstTotpName),
                            {challenge.new_secret, challenge.passkey_challenge},
                            EnrollmentKind::kFirst));
  return std::move(made.recovery_codes);
}

absl::StatusOr<std::vector<std::string>> LoginFlow::UseChallenge(
    const std::string& id, const Challenge& challenge, const FactorStep& step,
    const Client& client, LoginAuditDetail* note) {
  absl::StatusOr<std::vector<std::string>> codes =
      VerifyFactor(challenge, step.answer, client);
  absl::Status changed;
  if (codes.ok() && challenge.must_change) {
    changed = parts_.directory->ChangePassword(
        challenge.person.username, step.old_password, step.new_password);
  }
  const absl::Status outcome = codes.ok() ? changed : codes.status();
  if (outcome.ok()) return codes;
  note->reason = StatusText(outcome);
  if (codes.ok()) {
    challenges_.MarkProved(id, *std::move(codes));
    if (absl::IsUnauthenticated(outcome)) {
      challenges_.PutBack(id);
    } else {
      challenges_.PutBackUnused(id);
    }
    if (IsMessageForUser(outcome)) return outcome;
    return absl::IsUnauthenticated(outcome) ? Refused()
                                            : DirectoryUnavailable();
  }
  if (IsWrong(outcome)) {
    challenges_.PutBack(id);
    return Refused();
  }
  challenges_.PutBackUnused(id);
  return LoginNotRecorded();
}

}  // namespace carme::backend
