#include "backend/identity/second_factor.h"

#include "common/status.h"

namespace carme {
namespace {

int CountAnswers(const FactorAnswer& answer) {
  return (answer.totp.empty() ? 0 : 1) + (answer.recovery_code.empty() ? 0 : 1);
}

}  // namespace

absl::StatusOr<FactorOffer> SecondFactor::OfferOf(Uid uid) {
  FactorOffer offer;
  ASSIGN_OR_RETURN(const std::vector<EnrolledFactor> factors,
                   factors_.List(uid));
  for (const EnrolledFactor& factor : factors) {
    offer.totp = offer.totp || factor.kind == FactorKind::kTotp;
  }
  ASSIGN_OR_RETURN(const int left, codes_.Left(uid));
  offer.recovery = left > 0;
  return offer;
}

absl::Status SecondFactor::Check(Uid uid, const FactorAnswer& answer,
                                 std::string_view client_address) {
  if (CountAnswers(answer) != 1) {
    return absl::UnauthenticatedError("no answer, or more than one");
  }
  if (!answer.totp.empty()) return factors_.UseTotp(uid, answer.totp);
  return codes_.Use(uid, answer.recovery_code, client_address);
}

}  // namespace carme
