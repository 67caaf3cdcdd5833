#include <grpcpp/server_context.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/audit/audit_log.h"
#include "backend/clusters/assertion.h"
#include "backend/clusters/messages.h"
#include "backend/identity/login/identity_config.h"
#include "backend/identity/login/login_flow.h"
#include "backend/identity/login/reauthentication.h"
#include "backend/jobs/model/job_proto.h"
#include "backend/rpc/access/audit_event.h"
#include "backend/rpc/access/caller.h"
#include "backend/rpc/convert/factor_proto.h"
#include "backend/rpc/services/messages.h"
#include "backend/rpc/services/services.h"
#include "carme/v1/auth.grpc.pb.h"
#include "common/grpc/grpc_status.h"
#include "common/log.h"
#include "common/protobuf/message_error.h"
#include "common/status.h"

namespace carme::backend {
namespace {

// Delays failure responses to a multiple of `grain` after the start, so that
// the response time does not reveal which check failed.
class FailureDelay {
 public:
  explicit FailureDelay(absl::Duration grain)
      : grain_(grain), start_(absl::Now()) {}

  void Wait() const {
    if (grain_ <= absl::ZeroDuration()) return;
    const absl::Duration taken = absl::Now() - start_;
    absl::SleepFor(absl::Ceil(taken, grain_) - taken);
  }

 private:
  const absl::Duration grain_;
  const absl::Time start_;
};

using Slot = LoginConcurrency::Slot;

absl::Status TooManyLogins() {
  return MakeError(rpc_service_messages::kAuthTooManyLogins);
}

// Each step of a log-in records one audit entry. Its reason is not sent to the
// caller.
AuditEvent StepEvent(const char* act, const grpc::ServerContext& context,
                     const Caller& caller, const LoginAuditDetail& note,
                     const absl::Status& status) {
  AuditEvent event = Outcome(EventOf(context, caller, act), status);
  event.actor = note.username;
  if (!note.reason.empty()) {
    event.result = absl::StrCat(status.ok() ? "ok: " : "", note.reason);
  }
  return event;
}

FactorStep StepOf(const v1::VerifyFactorRequest& request) {
  return {.answer = AnswerOf(request),
          .old_password = request.old_password(),
          .new_password = request.new_password()};
}

// The factors that an account without factors may enroll.
void OfferEnrolment(const PasskeySite& site, const PasswordAccepted& accepted,
                    v1::LoginResponse* response) {
  if (!accepted.new_secret.empty()) {
    response->add_factors(v1::FACTOR_TOTP);
    *response->mutable_enrolment() =
        TotpEnrolmentOf(accepted.new_secret, accepted.otpauth_uri);
  }
  if (!accepted.user_handle.empty()) {
    response->add_factors(v1::FACTOR_PASSKEY);
    *response->mutable_passkey_enrolment() = PasskeyEnrolmentOf(
        site, accepted.passkey_challenge,
        {accepted.user_handle, accepted.username, accepted.display_name}, {});
  }
}

// The factors of an account, for LoginResponse and
// StartReauthenticationResponse.
template <typename Response>
void AskFactor(const PasskeySite& site, const FactorOffer& offer,
               const std::string& passkey_challenge, Response* response) {
  if (offer.totp) response->add_factors(v1::FACTOR_TOTP);
  if (!offer.credential_ids.empty()) {
    response->add_factors(v1::FACTOR_PASSKEY);
    *response->mutable_passkey_request() =
        PasskeyRequestOf(site, passkey_challenge, offer.credential_ids);
  }
  if (offer.recovery) response->add_factors(v1::FACTOR_RECOVERY);
}

class AuthService : public v1::AuthService::Service {
 public:
  explicit AuthService(AuthServiceParts parts)
      : parts_(parts), config_(*parts.config) {}

  grpc::Status Login(grpc::ServerContext* context,
                     const v1::LoginRequest* request,
                     v1::LoginResponse* response) override {
    const FailureDelay even(config_.failure_delay);
    const Caller caller = CallerOf(*context);
    LoginAuditDetail note;
    const Slot slot(&passwords_, parts_.login_flow->AttemptForUser(
                                     request->username(), ClientOf(caller)));
    const absl::Status may = MayTry(slot);
    absl::StatusOr<PasswordAccepted> accepted =
        may.ok() ? CheckPassword(*request, ClientOf(caller), &note) : may;
    parts_.audit->Record(StepEvent("log-in-password", *context, caller, note,
                                   accepted.status()));
    if (const auto wait = FactorFirstWait(accepted.status())) {
      AskFactorFirst(*wait, response->mutable_factor_first());
      return grpc::Status::OK;
    }
    if (!accepted.ok()) return Refuse(accepted.status(), even);
    response->set_factor_proved(accepted->proved);
    response->set_challenge(accepted->challenge);
    response->set_password_must_change(accepted->must_change);
    response->set_password_message(accepted->message);
    for (const std::string& rule : accepted->password_rules) {
      response->add_password_rules(rule);
    }
    AskFactor(*parts_.site, accepted->offer, accepted->passkey_challenge,
              response);
    OfferEnrolment(*parts_.site, *accepted, response);
    return grpc::Status::OK;
  }

  grpc::Status VerifyFactor(grpc::ServerContext* context,
                            const v1::VerifyFactorRequest* request,
                            v1::VerifyFactorResponse* response) override {
    const FailureDelay even(config_.failure_delay);
    const Caller caller = CallerOf(*context);
    LoginAuditDetail note;
    const Slot slot(&factors_, parts_.login_flow->AttemptForChallenge(
                                   request->challenge(), ClientOf(caller)));
    const absl::Status may = MayTry(slot);
    const absl::StatusOr<LoggedIn> made =
        may.ok() ? parts_.login_flow->CheckFactor(request->challenge(),
                                                  StepOf(*request),
                                                  ClientOf(caller), &note)
                 : may;
    AuditEvent event =
        StepEvent("log-in", *context, caller, note, made.status());
    if (made.ok()) {
      event.actor_uid = made->session.session.uid;
      event.session_id = made->session.session.id.value();
    }
    const absl::Status noted = RecordChange(parts_.audit, event);
    if (!made.ok()) return Refuse(made.status(), even);
    if (!noted.ok()) {
      // The token was not sent to anyone.
      parts_.sessions->End(made->session.session.id).IgnoreError();
      return ToGrpc(noted);
    }
    *response->mutable_session() = Shown(made->session.session);
    response->set_session_token(made->session.token);
    for (const std::string& code : made->recovery_codes) {
      response->add_recovery_codes(code);
    }
    return grpc::Status::OK;
  }

  grpc::Status GetSession(grpc::ServerContext* context,
                          const v1::GetSessionRequest* /*request*/,
                          v1::GetSessionResponse* response) override {
    const Caller caller = CallerOf(*context);
    LogDebug("session shown", {{"request", caller.request_id},
                               {"user", caller.session.username},
                               {"client", caller.client_address}});
    *response->mutable_session() = Shown(caller.session);
    return grpc::Status::OK;
  }

  grpc::Status Logout(grpc::ServerContext* context,
                      const v1::LogoutRequest* /*request*/,
                      v1::LogoutResponse* /*response*/) override {
    const Caller caller = CallerOf(*context);
    const absl::Status ended = parts_.sessions->End(caller.session.id);
    // The session has ended in any case; the database is updated later.
    AuditEvent event = Outcome(EventOf(*context, caller, "log-out"), {});
    if (!ended.ok()) event.result = absl::StrCat("ok: ", StatusText(ended));
    parts_.audit->Record(event);
    return grpc::Status::OK;
  }

  grpc::Status StartReauthentication(
      grpc::ServerContext* context,
      const v1::StartReauthenticationRequest* /*request*/,
      v1::StartReauthenticationResponse* response) override {
    const absl::StatusOr<ReauthenticationChallenge> challenge =
        parts_.reauthentication->Start(CallerOf(*context).session);
    if (!challenge.ok()) return ToGrpc(challenge.status());
    AskFactor(*parts_.site, challenge->offer, challenge->passkey_challenge,
              response);
    return grpc::Status::OK;
  }

  grpc::Status FinishReauthentication(
      grpc::ServerContext* context,
      const v1::FinishReauthenticationRequest* request,
      v1::FinishReauthenticationResponse* response) override {
    const FailureDelay even(config_.failure_delay);
    const Caller caller = CallerOf(*context);
    LoginAuditDetail note{.username = caller.session.username, .reason = {}};
    const absl::Status may = parts_.audit->Ready();
    const absl::StatusOr<Session> fresh =
        may.ok() ? parts_.reauthentication->Finish(
                       caller.session, AnswerOf(*request),
                       caller.client_address, &note.reason)
                 : may;
    parts_.audit->Record(
        StepEvent("fresh-factor", *context, caller, note, fresh.status()));
    if (absl::IsInvalidArgument(fresh.status())) even.Wait();
    if (!fresh.ok()) return ToGrpc(fresh.status());
    *response->mutable_session() = Shown(*fresh);
    return grpc::Status::OK;
  }

  grpc::Status CreateAssertion(grpc::ServerContext* context,
                               const v1::CreateAssertionRequest* request,
                               v1::CreateAssertionResponse* response) override {
    if (parts_.assertions == nullptr) {
      return ToGrpc(MakeError(cluster_messages::kClusterUnknown,
                              {{"cluster", request->cluster()}}));
    }
    // No audit entry: it changes nothing, and the other backend records the
    // calls.
    const absl::StatusOr<SignedAssertion> assertion =
        parts_.assertions->Sign(CallerOf(*context).session, request->cluster());
    if (!assertion.ok()) return ToGrpc(assertion.status());
    response->set_assertion(assertion->text);
    Fill(assertion->expires_at, response->mutable_expires_at());
    return grpc::Status::OK;
  }

 private:
  absl::StatusOr<PasswordAccepted> CheckPassword(
      const v1::LoginRequest& request, const Client& client,
      LoginAuditDetail* note) {
    const FactorAnswer answer = AnswerOf(request);
    if (answer.empty()) {
      return parts_.login_flow->CheckPassword(request.username(),
                                              request.password(), client, note);
    }
    const FactorFirstAnswer early{answer, request.passkey_challenge()};
    return parts_.login_flow->CheckBoth(request.username(), request.password(),
                                        early, client, note);
  }

  // All kinds of factors, the same for every name.
  void AskFactorFirst(absl::Duration wait, v1::FactorFirst* challenge) const {
    challenge->add_factors(v1::FACTOR_TOTP);
    challenge->add_factors(v1::FACTOR_PASSKEY);
    challenge->add_factors(v1::FACTOR_RECOVERY);
    *challenge->mutable_passkey_request() = PasskeyRequestOf(
        *parts_.site, parts_.login_flow->NewFactorFirstChallenge(), /*ids=*/{});
    challenge->set_wait_s(absl::ToInt64Seconds(wait));
  }

  static Client ClientOf(const Caller& caller) {
    return {caller.client_address, caller.user_agent};
  }

  // No log-in without an audit entry.
  absl::Status MayTry(const Slot& slot) const {
    return slot.acquired() ? parts_.audit->Ready() : TooManyLogins();
  }

  // A concurrency limit or an unavailable directory is no secret: responds at
  // once.
  static grpc::Status Refuse(const absl::Status& status,
                             const FailureDelay& even) {
    if (absl::IsUnauthenticated(status)) even.Wait();
    return ToGrpc(status);
  }

  v1::Session Shown(const Session& session) const {
    return ToProto(session, config_.idle_timeout);
  }

  const AuthServiceParts parts_;
  const SessionsConfig& config_;
  // Separate limits for each step: attackers can only exhaust the first.
  LoginConcurrency passwords_;
  LoginConcurrency factors_;
};

}  // namespace

std::unique_ptr<grpc::Service> NewAuthService(AuthServiceParts parts) {
  return std::make_unique<AuthService>(parts);
}

}  // namespace carme::backend
