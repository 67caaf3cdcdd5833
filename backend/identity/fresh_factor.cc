#include "backend/identity/fresh_factor.h"

#include <utility>

#include "backend/identity/passkey.h"
#include "common/random.h"
#include "common/status.h"

namespace carme::backend {
namespace {

absl::Status DiskAway() {
  return absl::UnavailableError("the factor cannot be checked now; try again");
}

}  // namespace

absl::StatusOr<FactorQuestion> FreshFactor::Start(const Session& session) {
  absl::StatusOr<FactorOffer> offer = parts_.factor->OfferOf(session.uid);
  if (!offer.ok()) return DiskAway();
  FactorQuestion question{.offer = *std::move(offer)};
  if (!question.offer.credential_ids.empty()) {
    question.passkey_challenge = RandomBytes(kPasskeyChallengeBytes);
    parts_.offers->Put(session.id, OfferKind::kFreshPasskey,
                       question.passkey_challenge);
  }
  return question;
}

absl::StatusOr<Session> FreshFactor::Finish(const Session& session,
                                            const FactorAnswer& answer,
                                            const std::string& client_address,
                                            std::string* reason) {
  RETURN_IF_ERROR(Check(session, answer, client_address, reason));
  Session fresh = session;
  fresh.fresh_until = parts_.clock->Now() + parts_.lasts;
  const absl::Status refreshed =
      parts_.sessions->Refresh(session.id, fresh.fresh_until);
  if (refreshed.ok()) return fresh;
  *reason = refreshed.ToString();
  return absl::IsUnauthenticated(refreshed) ? refreshed : DiskAway();
}

absl::Status FreshFactor::Check(const Session& session,
                                const FactorAnswer& answer,
                                const std::string& client_address,
                                std::string* reason) {
  Throttle& throttle = *parts_.throttle;
  const absl::Status slow =
      throttle.Try(session.username, client_address, Guess::kFactor);
  if (!slow.ok()) {
    *reason = "throttled";
    return slow;
  }
  std::string challenge;
  if (answer.passkey) {
    challenge =
        parts_.offers->Take(session.id, OfferKind::kFreshPasskey).value_or("");
  }
  const absl::Status checked =
      parts_.factor->Check(session.uid, answer, challenge, client_address);
  if (checked.ok()) {
    throttle.Succeed(session.username, client_address);
    return checked;
  }
  *reason = checked.ToString();
  if (absl::IsUnauthenticated(checked)) {
    return absl::InvalidArgumentError("that code or passkey is not right");
  }
  throttle.GiveBack(session.username, client_address, Guess::kFactor);
  return DiskAway();
}

}  // namespace carme::backend
