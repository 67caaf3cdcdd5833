// One's own second factors, as a gateway sees them, and the fresh check before
// a change: real TLS, real guard, real SQLite, a passkey of software.
#include <grpcpp/client_context.h>
#include <liboath/oath.h>

#include <catch2/catch.hpp>
#include <memory>
#include <string>

#include "backend/audit/audit_log.h"
#include "backend/identity/directory.h"
#include "backend/identity/factors/factor_policy.h"
#include "backend/identity/factors/second_factor.h"
#include "backend/identity/login/identity_config.h"
#include "backend/identity/login/login_flow.h"
#include "backend/identity/login/pending_enrollments.h"
#include "backend/identity/login/reauthentication.h"
#include "backend/identity/session/session_store.h"
#include "backend/identity/users/user_store.h"
#include "backend/rpc/services/services.h"
#include "carme/v1/auth.grpc.pb.h"
#include "carme/v1/factors.grpc.pb.h"
#include "common/encoding.h"
#include "tests/backend/rpc/guarded_server.h"
#include "tests/support/fake_clock.h"
#include "tests/support/grpc_status_matchers.h"
#include "tests/support/software_authenticator.h"

namespace carme::backend {
namespace {

using Code = grpc::StatusCode;

// A directory of which nothing is asked but a person's groups.
class Groups : public Directory {
 public:
  std::vector<std::string> of_ada;

  absl::StatusOr<PasswordCheck> CheckPassword(std::string_view,
                                              std::string_view) override {
    return absl::UnavailableError("not asked here");
  }
  absl::StatusOr<Person> LookUp(std::string_view name) override {
    return Person{.username = std::string(name),
                  .display_name = "Ada",
                  .uid = Uid(20001),
                  .role = Role::kUser,
                  .groups = of_ada};
  }
  absl::Status ChangePassword(std::string_view, std::string_view,
                              std::string_view) override {
    return absl::UnavailableError("not asked here");
  }
  bool ChangesPasswords() const override { return false; }
  std::vector<std::string> PasswordRules() const override { return {}; }
};

// Ada has a TOTP secret and a session; both services are there in turn.
struct Site {
  static constexpr char kSecret[] = "12345678901234567890";
  FakeClock clock;
  SessionsConfig config{.failure_delay = absl::ZeroDuration()};
  FactorsConfig policy;
  Groups directory;
  std::unique_ptr<Database> database =
      Database::Open(":memory:", Migrations()).value();
  FactorStore factors{database.get(), &clock};
  RecoveryCodes codes{database.get(), &clock};
  UserStore people{database.get(), &clock};
  std::unique_ptr<AuditLog> audit =
      AuditLog::Open(database.get(), &clock).value();
  PendingEnrollments offers{&clock};
  LoginThrottle throttle{&clock};
  SecondFactor factor{&factors, &codes,
                      PasskeySiteOf("https://portal.test", "Carme")};
  std::unique_ptr<SessionStore> sessions =
      SessionStore::Load(database.get(), &clock, &config).value();
  Reauthentication fresh{{&factor, sessions.get(), &offers, &throttle, &clock,
                          config.reauthentication_lifetime}};
  std::vector<std::string> recovery =
      factors
          .AddTotp(Uid(20001), "first", kSecret, TotpCode(kSecret),
                   EnrollmentKind::kFirst)
          .value()
          .recovery_codes;
  NewSession ada = sessions
                       ->Begin({.username = "ada",
                                .display_name = "Ada",
                                .uid = Uid(20001),
                                .role = Role::kUser,
                                .groups = {}},
                               "192.0.2.1", "a browser")
                       .value();
  std::unique_ptr<GuardedServer> server;

  template <typename Service>
  auto Stub() {
    return Service::NewStub(
        server->Connect(Port::kClients, "URI:carme://frontend/dmz"));
  }
  auto FactorStub() {
    server = std::make_unique<GuardedServer>(
        sessions.get(),
        NewFactorService({&factors, &codes, &factor, &offers, &people,
                          &directory, &policy, audit.get(), "Carme"}),
        "factors", &clock);
    return Stub<v1::FactorService>();
  }
  auto AuthStub() {
    server = std::make_unique<GuardedServer>(
        sessions.get(),
        NewAuthService({nullptr, &fresh, sessions.get(), &factor.site(),
                        &config, audit.get()}),
        "auth", &clock);
    return Stub<v1::AuthService>();
  }
  std::string TotpCode(const std::string& secret) {
    char code[7] = {};
    oath_totp_generate(secret.data(), secret.size(),
                       absl::ToUnixSeconds(clock.Now()), 30, 0, 6, code);
    return code;
  }
  // How many entries of it are on the disk at this moment.
  int64_t Entries(const std::string& act) {
    int64_t count = -1;
    REQUIRE_THAT(database->Query([&](Database& db) -> absl::Status {
      Statement read = db.Prepare(
                             "SELECT count(*) FROM audit WHERE act = ?1 "
                             "AND decision = 'allow'")
                           .value();
      REQUIRE(read.Bind(1, act).Step().value());
      count = read.Int(0);
      return absl::OkStatus();
    }),
                 IsOk());
    return count;
  }
  // Calls an rpc as ada.
  template <typename Stub, typename Method, typename Request, typename Response>
  Code Call(Stub& stub, Method method, const Request& request,
            Response* response) {
    grpc::ClientContext context;
    context.AddMetadata("carme-session", ada.token);
    context.AddMetadata("carme-client-address", "192.0.2.1");
    return ((*stub).*method)(&context, request, response).error_code();
  }
};

using Factors = v1::FactorService::Stub;
using Auth = v1::AuthService::Stub;

TEST_CASE("factor service: a change requires reauthentication", "[backend]") {
  Site site;
  auto stub = site.FactorStub();
  site.clock.Advance(site.config.reauthentication_lifetime);
  v1::StartTotpResponse totp;
  v1::StartPasskeyResponse passkey;
  v1::RemoveFactorResponse removed;
  v1::RenewRecoveryCodesResponse renewed;
  CHECK(site.Call(stub, &Factors::StartTotp, v1::StartTotpRequest(), &totp) ==
        Code::FAILED_PRECONDITION);
  CHECK(site.Call(stub, &Factors::StartPasskey, v1::StartPasskeyRequest(),
                  &passkey) == Code::FAILED_PRECONDITION);
  CHECK(site.Call(stub, &Factors::RemoveFactor, v1::RemoveFactorRequest(),
                  &removed) == Code::FAILED_PRECONDITION);
  CHECK(site.Call(stub, &Factors::RenewRecoveryCodes,
                  v1::RenewRecoveryCodesRequest(),
                  &renewed) == Code::FAILED_PRECONDITION);
  v1::ListFactorsResponse list;
  CHECK(site.Call(stub, &Factors::ListFactors, v1::ListFactorsRequest(),
                  &list) == Code::OK);
}

TEST_CASE("factor service: refuses kinds that the site does not allow",
          "[backend]") {
  Site site;
  site.policy.groups["admins"] = {v1::FACTOR_PASSKEY};
  site.directory.of_ada = {"admins"};
  auto stub = site.FactorStub();
  v1::StartTotpResponse totp;
  CHECK(site.Call(stub, &Factors::StartTotp, v1::StartTotpRequest(), &totp) ==
        Code::PERMISSION_DENIED);
  v1::StartPasskeyResponse passkey;
  CHECK(site.Call(stub, &Factors::StartPasskey, v1::StartPasskeyRequest(),
                  &passkey) == Code::OK);
  v1::ListFactorsResponse list;
  REQUIRE(site.Call(stub, &Factors::ListFactors, v1::ListFactorsRequest(),
                    &list) == Code::OK);
  REQUIRE(list.allowed_size() == 1);
  CHECK(list.allowed(0) == v1::FACTOR_PASSKEY);
}

TEST_CASE("factor service: does not delete the last factor", "[backend]") {
  Site site;
  auto stub = site.FactorStub();
  v1::RemoveFactorRequest request;
  v1::RemoveFactorResponse response;
  CHECK(site.Call(stub, &Factors::RemoveFactor, request, &response) ==
        Code::NOT_FOUND);
  request.set_id(site.factors.List(Uid(20001)).value()[0].id);
  CHECK(site.Call(stub, &Factors::RemoveFactor, request, &response) ==
        Code::FAILED_PRECONDITION);
}

TEST_CASE("factor service: enrolls a second app with a code of that app",
          "[backend]") {
  Site site;
  auto stub = site.FactorStub();
  v1::FinishTotpRequest finish;
  v1::FinishTotpResponse finished;
  finish.set_name("a telephone");
  finish.set_totp("123456");
  CHECK(site.Call(stub, &Factors::FinishTotp, finish, &finished) ==
        Code::INVALID_ARGUMENT);  // nothing was begun
  v1::StartTotpResponse started;
  REQUIRE(site.Call(stub, &Factors::StartTotp, v1::StartTotpRequest(),
                    &started) == Code::OK);
  CHECK(site.Call(stub, &Factors::FinishTotp, finish, &finished) ==
        Code::INVALID_ARGUMENT);  // and may be tried again
  finish.set_totp(
      site.TotpCode(Base32Decode(started.enrolment().secret()).value()));
  REQUIRE(site.Call(stub, &Factors::FinishTotp, finish, &finished) == Code::OK);
  CHECK(site.Entries("add-factor") == 1);
  CHECK(finished.factor().name() == "a telephone");
  CHECK(site.Call(stub, &Factors::FinishTotp, finish, &finished) ==
        Code::INVALID_ARGUMENT);  // once
  v1::ListFactorsResponse list;
  REQUIRE(site.Call(stub, &Factors::ListFactors, v1::ListFactorsRequest(),
                    &list) == Code::OK);
  CHECK(list.factors_size() == 2);
  CHECK(list.recovery_codes_left() == 10);
}

TEST_CASE("factor service: a passkey is enrolled once", "[backend]") {
  Site site;
  auto stub = site.FactorStub();
  SoftwareAuthenticator authenticator(-7, site.factor.site());
  const auto enrol = [&](bool with_challenge) {
    v1::StartPasskeyResponse started;
    REQUIRE(site.Call(stub, &Factors::StartPasskey, v1::StartPasskeyRequest(),
                      &started) == Code::OK);
    const PasskeyCreated made = authenticator.Create(
        with_challenge ? started.enrolment().challenge() : "other");
    v1::FinishPasskeyRequest finish;
    finish.mutable_passkey()->set_client_data_json(made.client_data_json);
    finish.mutable_passkey()->set_attestation_object(made.attestation_object);
    finish.mutable_passkey()->set_name("a key");
    v1::FinishPasskeyResponse finished;
    const Code code =
        site.Call(stub, &Factors::FinishPasskey, finish, &finished);
    // The challenge is spent, whatever came of it.
    CHECK(site.Call(stub, &Factors::FinishPasskey, finish, &finished) ==
          Code::INVALID_ARGUMENT);
    return code;
  };
  CHECK(enrol(false) == Code::INVALID_ARGUMENT);
  CHECK(enrol(true) == Code::OK);
  CHECK(site.Entries("add-factor") == 1);
  CHECK(enrol(true) == Code::ALREADY_EXISTS);
  v1::StartPasskeyResponse again;
  REQUIRE(site.Call(stub, &Factors::StartPasskey, v1::StartPasskeyRequest(),
                    &again) == Code::OK);
  REQUIRE(again.enrolment().exclude_size() == 1);
  CHECK(again.enrolment().exclude(0) == authenticator.credential_id);
}

TEST_CASE("factor service: new recovery codes make the old ones void",
          "[backend]") {
  Site site;
  auto stub = site.FactorStub();
  v1::RenewRecoveryCodesResponse renewed;
  REQUIRE(site.Call(stub, &Factors::RenewRecoveryCodes,
                    v1::RenewRecoveryCodesRequest(), &renewed) == Code::OK);
  CHECK(site.Entries("renew-recovery-codes") == 1);
  CHECK(renewed.codes_size() == 10);
  CHECK_FALSE(site.codes.Use(Uid(20001), site.recovery[0], "").ok());
  CHECK_THAT(site.codes.Use(Uid(20001), renewed.codes(0), ""), IsOk());
}

TEST_CASE("reauthentication: a wrong code is refused, the session stays",
          "[backend]") {
  Site site;
  auto stub = site.AuthStub();
  v1::FinishReauthenticationRequest request;
  v1::FinishReauthenticationResponse response;
  CHECK(site.Call(stub, &Auth::FinishReauthentication, request, &response) ==
        Code::INVALID_ARGUMENT);  // nothing at all
  request.set_totp("000000");
  for (int i = 1; i < LoginThrottle::kFreeFailures; ++i) {
    CHECK(site.Call(stub, &Auth::FinishReauthentication, request, &response) ==
          Code::INVALID_ARGUMENT);
  }
  site.clock.Advance(absl::Milliseconds(1));
  CHECK(site.Call(stub, &Auth::FinishReauthentication, request, &response) ==
        Code::RESOURCE_EXHAUSTED);
  CHECK(site.sessions->IsLive(site.ada.session.id));
}

TEST_CASE("reauthentication: a code or a passkey confirms the session",
          "[backend]") {
  Site site;
  site.clock.Advance(absl::Hours(1));
  auto stub = site.AuthStub();
  v1::StartReauthenticationResponse started;
  REQUIRE(site.Call(stub, &Auth::StartReauthentication,
                    v1::StartReauthenticationRequest(), &started) == Code::OK);
  CHECK(started.factors_size() == 2);
  CHECK_FALSE(started.has_passkey_request());
  v1::FinishReauthenticationRequest request;
  v1::FinishReauthenticationResponse response;
  request.set_totp(site.TotpCode(Site::kSecret));
  REQUIRE(site.Call(stub, &Auth::FinishReauthentication, request, &response) ==
          Code::OK);
  CHECK(response.session().reauthenticated_until().seconds() ==
        absl::ToUnixSeconds(site.clock.Now() +
                            site.config.reauthentication_lifetime));

  SoftwareAuthenticator authenticator(-8, site.factor.site());
  const std::string challenge(kPasskeyChallengeBytes, 'c');
  REQUIRE_THAT(
      site.factor.Enroll(
          Uid(20001), {.new_passkey = authenticator.Create(challenge)}, "",
          {.passkey_challenge = challenge}, EnrollmentKind::kAdditional),
      IsOk());
  REQUIRE(site.Call(stub, &Auth::StartReauthentication,
                    v1::StartReauthenticationRequest(), &started) == Code::OK);
  CHECK(started.passkey_request().rp_id() == "portal.test");
  const PasskeyAssertion answer =
      authenticator.Answer(started.passkey_request().challenge());
  request.Clear();
  request.mutable_passkey()->set_credential_id(answer.credential_id);
  request.mutable_passkey()->set_client_data_json(answer.client_data_json);
  request.mutable_passkey()->set_authenticator_data(answer.authenticator_data);
  request.mutable_passkey()->set_signature(answer.signature);
  CHECK(site.Call(stub, &Auth::FinishReauthentication, request, &response) ==
        Code::OK);
  CHECK(site.Call(stub, &Auth::FinishReauthentication, request, &response) ==
        Code::INVALID_ARGUMENT);  // once
}

}  // namespace
}  // namespace carme::backend
