#include "backend/identity/login/reauthentication.h"

#include <utility>

#include "backend/identity/factors/passkey.h"
#include "backend/identity/login/messages.h"
#include "common/protobuf/message_error.h"
#include "common/random.h"
#include "common/status.h"

namespace carme::backend {
namespace {

absl::Status FactorNotChecked() {
  return MakeError(login_messages::kFactorNotChecked);
}

}  // namespace

absl::StatusOr<ReauthenticationChallenge> Reauthentication::Start(
    const Session& session) {
  absl::StatusOr<FactorOffer> offer = parts_.factor->OfferOf(session.uid);
  if (!offer.ok()) return FactorNotChecked();
  ReauthenticationChallenge challenge{.offer = *std::move(offer)};
  if (!challenge.offer.credential_ids.empty()) {
    challenge.passkey_challenge = RandomBytes(kPasskeyChallengeBytes);
    parts_.offers->Put(session.id, CeremonyKind::kReauthenticationPasskey,
                       challenge.passkey_challenge);
  }
  return challenge;
}

absl::StatusOr<Session> Reauthentication::Finish(
    const Session& session, const FactorAnswer& answer,
    const std::string& client_address, std::string* reason) {
  RETURN_IF_ERROR(Check(session, answer, client_address, reason));
  Session fresh = session;
  fresh.reauthenticated_until = parts_.clock->Now() + parts_.lifetime;
  const absl::Status refreshed =
      parts_.sessions->Refresh(session.id, fresh.reauthenticated_until);
  if (refreshed.ok()) return fresh;
  *reason = StatusText(refreshed);
  return absl::IsUnauthenticated(refreshed) ? refreshed : FactorNotChecked();
}

absl::Status Reauthentication::Check(const Session& session,
                                     const FactorAnswer& answer,
                                     const std::string& client_address,
                                     std::string* reason) {
  LoginThrottle& throttle = *parts_.throttle;
  const absl::Status slow =
      throttle.Try(session.username, client_address, Guess::kFactor);
  if (!slow.ok()) {
    *reason = FormatMessage(login_messages::kAuditThrottled);
    return slow;
  }
  std::string challenge;
  if (answer.passkey) {
    challenge =
        parts_.offers->Take(session.id, CeremonyKind::kReauthenticationPasskey)
            .value_or("");
  }
  const absl::Status checked =
      parts_.factor->Check(session.uid, answer, challenge, client_address);
  if (checked.ok()) {
    throttle.RecordSuccess(session.username, client_address);
    return checked;
  }
  *reason = StatusText(checked);
  if (absl::IsUnauthenticated(checked)) {
    return MakeError(login_messages::kWrongFactor);
  }
  throttle.Refund(session.username, client_address, Guess::kFactor);
  return FactorNotChecked();
}

}  // namespace carme::backend
