#include "backend/identity/login/factor_first.h"

#include "backend/identity/login/messages.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {

absl::StatusOr<Person> FactorFirst::Check(std::string_view username,
                                          const FactorFirstAnswer& first,
                                          std::string_view client_address,
                                          std::string* whose) {
  const Guess guess =
      first.answer.totp.empty() ? Guess::kProofFirst : Guess::kCodeFirst;
  RETURN_IF_ERROR(parts_.throttle->Try(username, client_address, guess));
  absl::StatusOr<Person> person = parts_.directory->LookUp(username);
  if (absl::IsNotFound(person.status()) || IsIndeterminate(person.status())) {
    return absl::UnauthenticatedError(person.status().message());
  }
  if (person.ok()) *whose = person->username;
  const absl::Status checked =
      person.ok() ? CheckAnswer(person->uid, first) : person.status();
  if (absl::IsUnauthenticated(checked)) return checked;
  parts_.throttle->Refund(username, client_address, guess);
  RETURN_IF_ERROR(checked);
  return person;
}

absl::Status FactorFirst::CheckAnswer(Uid uid, const FactorFirstAnswer& first) {
  const std::string& challenge = first.passkey_challenge;
  const bool signs = first.answer.passkey.has_value();
  if (signs && !challenges_.IsLive(challenge)) {
    return MakeError(login_messages::kPasskeyChallengeInvalid);
  }
  RETURN_IF_ERROR(
      parts_.factor->CheckWithoutConsuming(uid, first.answer, challenge));
  if (signs && !challenges_.Spend(uid, challenge)) {
    return MakeError(login_messages::kPasskeyChallengeUsed);
  }
  return absl::OkStatus();
}

absl::Status FactorFirst::Spend(Uid uid, const FactorAnswer& answer,
                                std::string_view client_address) {
  if (answer.recovery_code.empty()) return absl::OkStatus();
  return parts_.factor->Check(uid, answer, /*passkey_challenge=*/"",
                              client_address);
}

}  // namespace carme::backend
