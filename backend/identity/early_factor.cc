#include "backend/identity/early_factor.h"

#include "common/status.h"

namespace carme::backend {
namespace {

absl::Status Wrong(absl::string_view why) {
  return absl::UnauthenticatedError(why);
}

}  // namespace

absl::StatusOr<Person> EarlyFactor::Check(std::string_view username,
                                          const EarlyAnswer& early,
                                          std::string_view client_address,
                                          std::string* whose) {
  const Guess guess =
      early.answer.totp.empty() ? Guess::kEarlyProof : Guess::kEarlyCode;
  RETURN_IF_ERROR(parts_.throttle->Try(username, client_address, guess));
  absl::StatusOr<Person> person = parts_.directory->LookUp(username);
  if (absl::IsNotFound(person.status()) || IsUnclear(person.status())) {
    return Wrong(person.status().message());
  }
  if (person.ok()) *whose = person->username;
  const absl::Status checked =
      person.ok() ? CheckAnswer(person->uid, early) : person.status();
  if (absl::IsUnauthenticated(checked)) return checked;
  parts_.throttle->GiveBack(username, client_address, guess);
  RETURN_IF_ERROR(checked);
  return person;
}

absl::Status EarlyFactor::CheckAnswer(Uid uid, const EarlyAnswer& early) {
  const std::string& challenge = early.passkey_challenge;
  const bool signs = early.answer.passkey.has_value();
  if (signs && !challenges_.IsLive(challenge)) {
    return Wrong("a challenge for a passkey that is none of ours, or too old");
  }
  RETURN_IF_ERROR(parts_.factor->CheckUnspent(uid, early.answer, challenge));
  if (signs && !challenges_.Spend(uid, challenge)) {
    return Wrong("a passkey's answer that was given before");
  }
  return absl::OkStatus();
}

absl::Status EarlyFactor::Spend(Uid uid, const FactorAnswer& answer,
                                std::string_view client_address) {
  if (answer.recovery_code.empty()) return absl::OkStatus();
  return parts_.factor->Check(uid, answer, /*passkey_challenge=*/"",
                              client_address);
}

}  // namespace carme::backend
