#include "backend/rpc/auth_service.h"

#include <google/protobuf/util/time_util.h>
#include <grpcpp/server_context.h>

#include <atomic>
#include <string>

#include "absl/time/clock.h"
#include "backend/rpc/caller.h"
#include "backend/rpc/role_proto.h"
#include "carme/v1/auth.grpc.pb.h"
#include "common/encoding.h"
#include "common/grpc_status.h"
#include "common/log.h"

namespace carme {
namespace {

using google::protobuf::util::TimeUtil;

// Each waits for the directory with a thread of its own.
constexpr int kMostAtOnce = 64;

// A refusal's answer leaves at a multiple of `grain` after the start, whatever
// it was that took the time.
class EvenRefusals {
 public:
  explicit EvenRefusals(absl::Duration grain)
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

// Counts itself among those who log in at the moment.
class Place {
 public:
  explicit Place(std::atomic<int>* taken) : taken_(*taken) { ++taken_; }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() { --taken_; }
  bool fits() const { return taken_ <= kMostAtOnce; }

 private:
  std::atomic<int>& taken_;
};

absl::Status Crowded() {
  return absl::ResourceExhaustedError(
      "too many people log in at this moment: try again");
}

// The one line that each step of a log-in leaves.
void LogStep(const char* step, const Caller& caller, const LogInNote& note,
             const absl::Status& status) {
  LogAudit(step, {{"request", caller.request_id},
                  {"user", note.username},
                  {"client", caller.client_address},
                  {"decision", status.ok() ? "yes" : "no"},
                  {"result", absl::StatusCodeToString(status.code())},
                  {"reason", note.reason}});
}

FactorStep StepOf(const v1::VerifyFactorRequest& request) {
  return {.answer = {.totp = request.totp(),
                     .recovery_code = request.recovery_code()},
          .old_password = request.old_password(),
          .new_password = request.new_password()};
}

v1::Session ToProto(const Session& session, absl::Duration idle_timeout) {
  v1::Session proto;
  proto.set_username(session.username);
  proto.set_display_name(session.display_name);
  proto.set_role(ToProto(session.role));
  *proto.mutable_created_at() =
      TimeUtil::MicrosecondsToTimestamp(absl::ToUnixMicros(session.created_at));
  *proto.mutable_expires_at() =
      TimeUtil::MicrosecondsToTimestamp(absl::ToUnixMicros(session.expires_at));
  proto.set_idle_timeout_s(absl::ToInt64Seconds(idle_timeout));
  return proto;
}

class AuthService : public v1::AuthService::Service {
 public:
  AuthService(LogIn* log_in, Sessions* sessions, const SessionsConfig* config)
      : log_in_(*log_in), sessions_(*sessions), config_(*config) {}

  grpc::Status Login(grpc::ServerContext* context,
                     const v1::LoginRequest* request,
                     v1::LoginResponse* response) override {
    const EvenRefusals even(config_.refusal_time);
    const Caller caller = CallerOf(*context);
    LogInNote note;
    const Place place(&busy_);
    absl::StatusOr<PasswordAccepted> accepted =
        place.fits()
            ? log_in_.CheckPassword(request->username(), request->password(),
                                    ClientOf(caller), &note)
            : Crowded();
    LogStep("log-in: password", caller, note, accepted.status());
    if (!accepted.ok()) return Refuse(accepted.status(), even);
    response->set_challenge(accepted->challenge);
    if (accepted->offer.totp) response->add_factors(v1::FACTOR_TOTP);
    if (accepted->offer.recovery) response->add_factors(v1::FACTOR_RECOVERY);
    response->set_password_must_change(accepted->must_change);
    response->set_password_message(accepted->message);
    if (!accepted->new_secret.empty()) {
      response->add_factors(v1::FACTOR_TOTP);
      v1::TotpEnrolment* enrolment = response->mutable_enrolment();
      enrolment->set_secret(Base32Encode(accepted->new_secret));
      enrolment->set_otpauth_uri(accepted->otpauth_uri);
    }
    return grpc::Status::OK;
  }

  grpc::Status VerifyFactor(grpc::ServerContext* context,
                            const v1::VerifyFactorRequest* request,
                            v1::VerifyFactorResponse* response) override {
    const EvenRefusals even(config_.refusal_time);
    const Caller caller = CallerOf(*context);
    LogInNote note;
    const Place place(&busy_);
    const absl::StatusOr<LoggedIn> made =
        place.fits()
            ? log_in_.CheckFactor(request->challenge(), StepOf(*request),
                                  ClientOf(caller), &note)
            : Crowded();
    LogStep("log-in: code", caller, note, made.status());
    if (!made.ok()) return Refuse(made.status(), even);
    *response->mutable_session() =
        ToProto(made->session.session, config_.idle_timeout);
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
    *response->mutable_session() =
        ToProto(caller.session, config_.idle_timeout);
    return grpc::Status::OK;
  }

  grpc::Status Logout(grpc::ServerContext* context,
                      const v1::LogoutRequest* /*request*/,
                      v1::LogoutResponse* /*response*/) override {
    const Caller caller = CallerOf(*context);
    const absl::Status ended = sessions_.End(caller.session.id);
    // Over it is in any case; the disk is told later.
    LogAudit("log-out",
             {{"request", caller.request_id},
              {"user", caller.session.username},
              {"client", caller.client_address},
              {"session", caller.session.id.value()},
              {"result", ended.ok() ? "recorded" : ended.ToString()}});
    return grpc::Status::OK;
  }

 private:
  static Client ClientOf(const Caller& caller) {
    return {caller.client_address, caller.user_agent};
  }

  // Waiting rooms and absent directories are no secret: those answer at once.
  static grpc::Status Refuse(const absl::Status& status,
                             const EvenRefusals& even) {
    if (absl::IsUnauthenticated(status)) even.Wait();
    return ToGrpc(status);
  }

  LogIn& log_in_;
  Sessions& sessions_;
  const SessionsConfig& config_;
  std::atomic<int> busy_ = 0;
};

}  // namespace

std::unique_ptr<grpc::Service> NewAuthService(LogIn* log_in, Sessions* sessions,
                                              const SessionsConfig* config) {
  return std::make_unique<AuthService>(log_in, sessions, config);
}

}  // namespace carme
