#include "backend/identity/factors/second_factor.h"

#include "backend/identity/factors/messages.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

int CountAnswers(const FactorAnswer& answer) {
  return (answer.totp.empty() ? 0 : 1) + (answer.passkey ? 1 : 0) +
         (answer.new_passkey ? 1 : 0) + (answer.recovery_code.empty() ? 0 : 1);
}

}  // namespace

absl::StatusOr<FactorOffer> SecondFactor::OfferOf(Uid uid) {
  FactorOffer offer;
  ASSIGN_OR_RETURN(const std::vector<EnrolledFactor> factors,
                   factors_.List(uid));
  for (const EnrolledFactor& factor : factors) {
    offer.totp = offer.totp || factor.kind == v1::FACTOR_TOTP;
  }
  ASSIGN_OR_RETURN(const std::vector<PasskeyKey> keys, factors_.Passkeys(uid));
  for (const PasskeyKey& key : keys) {
    offer.credential_ids.push_back(key.credential_id);
  }
  ASSIGN_OR_RETURN(const int left, codes_.CountUnused(uid));
  offer.recovery = left > 0;
  return offer;
}

absl::Status SecondFactor::Check(Uid uid, const FactorAnswer& answer,
                                 std::string_view passkey_challenge,
                                 std::string_view client_address) {
  if (CountAnswers(answer) != 1) {
    return MakeError(factor_messages::kOneAnswerRequired);
  }
  if (!answer.totp.empty()) return factors_.UseTotp(uid, answer.totp);
  if (answer.passkey) {
    return CheckPasskey(uid, *answer.passkey, passkey_challenge);
  }
  if (answer.new_passkey) {
    return MakeError(factor_messages::kNewPasskeyAtLogin);
  }
  return codes_.Use(uid, answer.recovery_code, client_address);
}

absl::Status SecondFactor::CheckWithoutConsuming(
    Uid uid, const FactorAnswer& answer, std::string_view passkey_challenge) {
  if (CountAnswers(answer) == 1 && !answer.recovery_code.empty()) {
    return codes_.Check(uid, answer.recovery_code);
  }
  return Check(uid, answer, passkey_challenge, /*client_address=*/"");
}

absl::Status SecondFactor::CheckPasskey(Uid uid,
                                        const PasskeyAssertion& assertion,
                                        std::string_view challenge) {
  ASSIGN_OR_RETURN(const std::vector<PasskeyKey> keys, factors_.Passkeys(uid));
  for (const PasskeyKey& key : keys) {
    if (key.credential_id != assertion.credential_id) continue;
    ASSIGN_OR_RETURN(const uint32_t counter,
                     CheckPasskeyAssertion(site_, challenge, assertion, key));
    return factors_.RecordAssertion(key, counter);
  }
  return MakeError(factor_messages::kPasskeyUnknown);
}

absl::StatusOr<Enrollment> SecondFactor::Enroll(Uid uid,
                                                const FactorAnswer& answer,
                                                std::string_view totp_name,
                                                const EnrollmentOffer& offer,
                                                EnrollmentKind which) {
  if (CountAnswers(answer) != 1) {
    return MakeError(factor_messages::kOneAnswerRequired);
  }
  if (!answer.totp.empty() && !offer.totp_secret.empty()) {
    return factors_.AddTotp(uid, totp_name, offer.totp_secret, answer.totp,
                            which);
  }
  if (!answer.new_passkey) return MakeError(factor_messages::kNotOffered);
  ASSIGN_OR_RETURN(
      const PasskeyKey key,
      CheckPasskeyCreated(site_, offer.passkey_challenge, *answer.new_passkey));
  return factors_.AddPasskey(uid, answer.new_passkey->name, key, which);
}

}  // namespace carme::backend
