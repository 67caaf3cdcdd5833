// A user has sent their password, or the factor as well, when everything of
// that account is ended: what they have begun must not become a session.
#include <liboath/oath.h>

#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend/audit/audit_log.h"
#include "backend/health/health_monitor.h"
#include "backend/identity/directory.h"
#include "backend/identity/factors/factor_store.h"
#include "backend/identity/factors/recovery_codes.h"
#include "backend/identity/login/login_flow.h"
#include "backend/identity/login/login_throttle.h"
#include "backend/identity/session/access_tokens.h"
#include "backend/identity/session/session_store.h"
#include "backend/identity/session/token_authenticator.h"
#include "backend/identity/users/user_store.h"
#include "backend/jobs/admin_jobs.h"
#include "backend/jobs/lifecycle/active_jobs.h"
#include "backend/rpc/services/services.h"
#include "carme/v1/account.grpc.pb.h"
#include "carme/v1/admin.grpc.pb.h"
#include "carme/v1/admin.pb.h"
#include "common/pki/expiry.h"
#include "tests/backend/jobs/job_fixture.h"
#include "tests/backend/rpc/account_site.h"
#include "tests/backend/rpc/fake_certificate_report.h"
#include "tests/support/grpc_status_matchers.h"

namespace carme::backend {
namespace {

const Client kHere = {"192.0.2.8", "a browser"};
const Uid kAda(20001);

class Served : public AccountSite {
 public:
  Served() {
    ServiceMap services;
    services["account"] = NewAccountService(
        {sessions_.get(), tokens_.get(), &credentials_, &directory_,
         &identity_->login_throttle, audit_.get()});
    services["admin"] =
        NewAdminService({.users = &users_,
                         .factors = &identity_->factors,
                         .recovery_codes = &identity_->recovery_codes,
                         .sessions = sessions_.get(),
                         .tokens = tokens_.get(),
                         .credentials = &credentials_,
                         .jobs = &world_.jobs_->active(),
                         .audit = audit_.get(),
                         .roles = {},
                         .certificates = &certificates_,
                         .health = &health_});
    Serve(std::move(services));
    account_ = v1::AccountService::NewStub(AsFrontend());
    admin_ = v1::AdminService::NewStub(AsFrontend());
    here_ = AccountSite::LogIn("ada").token;
    carol_ = AccountSite::LogIn("carol").token;
    directory_.RequireNewPasswords();
    first_ = Open();
  }
  ~Served() { server_.reset(); }

  // A log-in that has shown its password.
  PasswordAccepted Open() {
    LoginAuditDetail note;
    auto accepted =
        identity_->login_flow.CheckPassword("ada", "right", kHere, &note);
    REQUIRE_THAT(accepted, IsOk());
    return *std::move(accepted);
  }
  // Whether the log-in becomes a session.
  absl::Status Finish(const PasswordAccepted& accepted) {
    FactorStep step{.old_password = "right", .new_password = "a new one"};
    step.answer.totp = CodeOf(first_.new_secret);
    LoginAuditDetail note;
    return identity_->login_flow
        .CheckFactor(accepted.challenge, step, kHere, &note)
        .status();
  }
  // A log-in that has shown its factor too, and lacks a new password alone.
  PasswordAccepted Proved() {
    directory_.RefuseNewPassword(absl::InvalidArgumentError("too short"));
    REQUIRE(absl::IsInvalidArgument(Finish(first_)));
    directory_.RefuseNewPassword(absl::OkStatus());
    return first_;
  }
  std::string CodeOf(const std::string& secret) {
    char code[7] = {};
    oath_totp_generate(secret.data(), secret.size(),
                       absl::ToUnixSeconds(clock_.Now()), 30, 0, 6, code);
    return code;
  }

  JobFixture world_;
  FakeCertificateReport certificates_;
  HealthMonitor health_{&clock_};
  std::unique_ptr<v1::AccountService::Stub> account_;
  std::unique_ptr<v1::AdminService::Stub> admin_;
  std::string here_;   // ada's session
  std::string carol_;  // an administrator's
  PasswordAccepted first_;
};

struct Ending {
  const char* name;
  std::function<bool(Served&)> act;
};

// Everything that ends a person's sessions at once.
const Ending kEndings[] = {
    {"ResetFactors",
     [](Served& site) {
       CallWith call(site.carol_);
       v1::ResetFactorsRequest request;
       request.set_username("ada");
       request.set_reason("lost the telephone");
       v1::ResetFactorsResponse response;
       return site.admin_->ResetFactors(&call, request, &response).ok();
     }},
    {"EndUserSessions",
     [](Served& site) {
       CallWith call(site.carol_);
       v1::EndUserSessionsRequest request;
       request.set_username("ada");
       request.set_reason("stolen laptop");
       v1::EndUserSessionsResponse response;
       return site.admin_->EndUserSessions(&call, request, &response).ok();
     }},
    {"EndOtherSessions",
     [](Served& site) {
       CallWith call(site.here_);
       v1::EndOtherSessionsResponse response;
       return site.account_->EndOtherSessions(&call, {}, &response).ok();
     }},
    {"ChangePassword",
     [](Served& site) {
       CallWith call(site.here_);
       v1::ChangePasswordRequest request;
       request.set_old_password("right");
       request.set_new_password("a new one");
       v1::ChangePasswordResponse response;
       return site.account_->ChangePassword(&call, request, &response).ok();
     }},
    {"a directory that lets them in no more",
     [](Served& site) {
       site.directory_.SetPerson("ada", absl::NotFoundError("left"));
       site.credentials_.Recheck();
       return true;
     }},
};

TEST_CASE("half way: ending all sessions ends log-ins in progress",
          "[backend]") {
  for (const Ending& ending : kEndings) {
    INFO(ending.name);
    Served site;
    const PasswordAccepted proved = site.Proved();
    const PasswordAccepted open = site.Open();
    REQUIRE(ending.act(site));
    const size_t sessions = site.sessions_->Of(kAda).size();
    site.clock_.Advance(absl::Seconds(30));  // a code that was not used
    CHECK(absl::IsUnauthenticated(site.Finish(proved)));
    CHECK(absl::IsUnauthenticated(site.Finish(open)));
    CHECK(site.sessions_->Of(kAda).size() == sessions);
  }
}

TEST_CASE("half way: ending another user's sessions does not affect ada",
          "[backend]") {
  Served site;
  const PasswordAccepted proved = site.Proved();
  site.credentials_.EndAllOf(Uid(20002), "bob");
  CHECK_THAT(site.Finish(proved), IsOk());
}

TEST_CASE("half way: a password change at login ends older sessions",
          "[backend]") {
  Served site;
  const PasswordAccepted other = site.Open();
  CHECK(site.sessions_->Of(kAda).size() == 1);
  REQUIRE_THAT(site.Finish(site.first_), IsOk());
  site.clock_.Advance(absl::Seconds(30));
  CHECK(absl::IsUnauthenticated(site.Finish(other)));
  CHECK(site.sessions_->Of(kAda).size() == 1);  // the new one alone
  CHECK_FALSE(site.sessions_->Authenticate(site.here_, "").ok());
}

}  // namespace
}  // namespace carme::backend
