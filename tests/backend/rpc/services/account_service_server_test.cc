#include <catch2/catch.hpp>
#include <memory>
#include <set>
#include <string>

#include "backend/audit/audit_log.h"
#include "backend/identity/directory.h"
#include "backend/identity/login/login_throttle.h"
#include "backend/identity/session/access_tokens.h"
#include "backend/identity/session/session_store.h"
#include "backend/identity/session/token_authenticator.h"
#include "backend/rpc/services/services.h"
#include "carme/v1/account.grpc.pb.h"
#include "common/grpc/grpc_status.h"
#include "common/protobuf/error_details.h"
#include "tests/backend/rpc/account_site.h"
#include "tests/support/grpc_status_matchers.h"

namespace carme::backend {
namespace {

using Code = grpc::StatusCode;

class Served : public AccountSite {
 public:
  Served() {
    ServiceMap services;
    services["account"] =
        NewAccountService({sessions_.get(), tokens_.get(), &credentials_,
                           &directory_, &throttle_, audit_.get()});
    Serve(std::move(services));
    stub_ = v1::AccountService::NewStub(AsFrontend());
  }
  v1::ListSessionsResponse Sessions(const std::string& token) {
    CallWith call(token);
    v1::ListSessionsResponse response;
    REQUIRE_THAT(stub_->ListSessions(&call, {}, &response), IsOk());
    return response;
  }
  Code EndSession(const std::string& token, const std::string& id) {
    CallWith call(token);
    v1::EndSessionRequest request;
    request.set_id(id);
    v1::EndSessionResponse response;
    return stub_->EndSession(&call, request, &response).error_code();
  }
  grpc::Status Create(const std::string& token, v1::CreateTokenResponse* made,
                      const std::vector<std::string>& scopes = {"account:read"},
                      absl::Duration life = absl::Hours(24)) {
    CallWith call(token);
    v1::CreateTokenRequest request;
    request.set_name("nightly");
    for (const std::string& scope : scopes) request.add_scopes(scope);
    request.mutable_expires_at()->set_seconds(
        absl::ToUnixSeconds(clock_.Now() + life));
    return stub_->CreateToken(&call, request, made);
  }
  Code Revoke(const std::string& token, const std::string& id) {
    CallWith call(token);
    v1::RevokeTokenRequest request;
    request.set_id(id);
    v1::RevokeTokenResponse response;
    return stub_->RevokeToken(&call, request, &response).error_code();
  }
  grpc::Status Change(const std::string& token, const std::string& old_password,
                      const std::string& new_password = "a new one") {
    CallWith call(token);
    v1::ChangePasswordRequest request;
    request.set_old_password(old_password);
    request.set_new_password(new_password);
    v1::ChangePasswordResponse response;
    return stub_->ChangePassword(&call, request, &response);
  }

  LoginThrottle throttle_{&clock_};
  std::unique_ptr<v1::AccountService::Stub> stub_;
};

TEST_CASE("account: a user cannot end another user's session or token",
          "[backend]") {
  Served site;
  const NewSession ada = site.LogIn("ada");
  v1::CreateTokenResponse made;
  REQUIRE_THAT(site.Create(ada.token, &made), IsOk());
  for (const char* other : {"bob", "sam", "carol"}) {
    INFO(other);
    const std::string token = site.LogIn(other).token;
    CHECK(site.EndSession(token, ada.session.id.value()) == Code::NOT_FOUND);
    CHECK(site.Revoke(token, made.token().id()) == Code::NOT_FOUND);
    const v1::ListSessionsResponse own = site.Sessions(token);
    for (const v1::SessionEntry& entry : own.sessions()) {
      CHECK(entry.id() != ada.session.id.value());
    }
    CallWith call(token);
    v1::ListTokensResponse tokens;
    REQUIRE_THAT(site.stub_->ListTokens(&call, {}, &tokens), IsOk());
    CHECK(tokens.tokens_size() == 0);
  }
  CHECK(site.EndSession(ada.token, "") == Code::NOT_FOUND);
  CHECK(site.EndSession(ada.token, ada.token) == Code::NOT_FOUND);
  CHECK(site.sessions_->IsLive(ada.session.id));
}

TEST_CASE("account: lists the user's sessions with their devices",
          "[backend]") {
  Served site;
  const NewSession here = site.LogIn("ada");
  const NewSession there = site.LogIn("ada");
  const v1::ListSessionsResponse list = site.Sessions(here.token);
  REQUIRE(list.sessions_size() == 2);
  for (const v1::SessionEntry& entry : list.sessions()) {
    CHECK(entry.current() == (entry.id() == here.session.id.value()));
    CHECK(entry.device() == "curl");
    CHECK(entry.address() == "192.0.2.1");
    CHECK(entry.last_address() ==
          (entry.current() ? "192.0.2.7" : "192.0.2.1"));
    CHECK(entry.id() != here.token);
  }
  CHECK(site.EndSession(here.token, there.session.id.value()) == Code::OK);
  CHECK(site.Sessions(here.token).sessions_size() == 1);
  CallWith call(there.token);
  v1::ListSessionsResponse response;
  CHECK(site.stub_->ListSessions(&call, {}, &response).error_code() ==
        Code::UNAUTHENTICATED);
  CHECK(site.Ask("SELECT subject FROM audit WHERE act='end-session'") ==
        there.session.id.value());
}

TEST_CASE("account: lists sessions in pages", "[backend]") {
  Served site;
  const std::string token = site.LogIn("ada").token;
  site.LogIn("ada");
  site.LogIn("ada");
  std::set<std::string> ids;
  v1::ListSessionsRequest request;
  request.set_page_size(2);
  for (const int expected : {2, 1}) {
    CallWith call(token);
    v1::ListSessionsResponse page;
    REQUIRE_THAT(site.stub_->ListSessions(&call, request, &page), IsOk());
    CHECK(page.sessions_size() == expected);
    for (const v1::SessionEntry& entry : page.sessions())
      ids.insert(entry.id());
    CHECK(page.next_page_token().empty() == (expected == 1));
    request.set_page_token(page.next_page_token());
  }
  CHECK(ids.size() == 3);
  request.set_page_size(-1);
  CallWith call(token);
  v1::ListSessionsResponse page;
  CHECK(site.stub_->ListSessions(&call, request, &page).error_code() ==
        Code::INVALID_ARGUMENT);
}

TEST_CASE("account: all other sessions end at once", "[backend]") {
  Served site;
  const NewSession here = site.LogIn("ada");
  site.LogIn("ada");
  site.LogIn("ada");
  const NewSession bob = site.LogIn("bob");
  CallWith call(here.token);
  v1::EndOtherSessionsResponse response;
  REQUIRE_THAT(site.stub_->EndOtherSessions(&call, {}, &response), IsOk());
  CHECK(response.ended() == 2);
  CHECK(site.Sessions(here.token).sessions_size() == 1);
  CHECK(site.Sessions(bob.token).sessions_size() == 1);
}

TEST_CASE("account: creating a token requires reauthentication", "[backend]") {
  Served site;
  const NewSession ada = site.LogIn("ada");
  site.clock_.Advance(absl::Minutes(10));
  v1::CreateTokenResponse made;
  const grpc::Status stale = site.Create(ada.token, &made);
  CHECK(stale.error_code() == Code::FAILED_PRECONDITION);
  CHECK(stale.error_message().starts_with("[REAUTHENTICATION_REQUIRED] "));
  REQUIRE_THAT(site.sessions_->Refresh(ada.session.id,
                                       site.clock_.Now() + absl::Minutes(1)),
               IsOk());
  CHECK_THAT(site.Create(ada.token, &made), IsOk());
}

TEST_CASE("account: refuses an invalid token request with the reason",
          "[backend]") {
  Served site;
  const std::string ada = site.LogIn("ada").token;
  v1::CreateTokenResponse made;
  CHECK(site.Create(ada, &made, {}).error_code() == Code::INVALID_ARGUMENT);
  CHECK(site.Create(ada, &made, {"root"}).error_code() ==
        Code::INVALID_ARGUMENT);
  CHECK(site.Create(ada, &made, {"admin:read"}).error_code() ==
        Code::PERMISSION_DENIED);
  CHECK(site.Create(ada, &made, {"jobs:read"}, -absl::Hours(1)).error_code() ==
        Code::INVALID_ARGUMENT);
  CallWith call(ada);
  v1::CreateTokenRequest request;  // without an expiry
  request.set_name("x");
  request.add_scopes("jobs:read");
  CHECK(site.stub_->CreateToken(&call, request, &made).error_code() ==
        Code::INVALID_ARGUMENT);
  CHECK(site.Ask("SELECT count(*) FROM access_tokens") == "0");
}

TEST_CASE("account: no token leaves before its entry is on the disk",
          "[backend]") {
  Served site;
  const std::string ada = site.LogIn("ada").token;
  v1::CreateTokenResponse made;
  REQUIRE_THAT(site.Create(ada, &made), IsOk());
  const std::string entries = "SELECT count(*) FROM audit WHERE act=";
  CHECK(site.AskNow(entries + "'create-token'") == "1");
  CHECK(site.Revoke(ada, made.token().id()) == Code::OK);
  CHECK(site.AskNow(entries + "'revoke-token'") == "1");
  site.AskNow(
      "CREATE TRIGGER broken BEFORE INSERT ON audit BEGIN "
      "SELECT raise(ABORT, 'disk'); END");
  made.Clear();
  const grpc::Status lost = site.Create(ada, &made);
  CHECK(lost.error_code() == Code::UNAVAILABLE);
  CHECK(lost.error_message().starts_with("the change was made, but"));
  CHECK(made.secret().empty());
  // Ended sessions stay ended in any case.
  CHECK(site.Revoke(ada, site.AskNow("SELECT id FROM access_tokens "
                                     "WHERE revoked_at IS NULL")) == Code::OK);
}

TEST_CASE("account: a token is refused from another address, and it is noted",
          "[backend]") {
  Served site;
  const std::string ada = site.LogIn("ada").token;
  const auto create = [&](const std::string& address,
                          v1::CreateTokenResponse* made) {
    CallWith call(ada);
    v1::CreateTokenRequest request;
    request.set_name("nightly");
    request.add_scopes("account:read");
    request.add_addresses(address);
    request.mutable_expires_at()->set_seconds(
        absl::ToUnixSeconds(site.clock_.Now() + absl::Hours(1)));
    return site.stub_->CreateToken(&call, request, made).error_code();
  };
  v1::CreateTokenResponse made;
  CHECK(create("192.0.2.7/24", &made) == Code::INVALID_ARGUMENT);
  REQUIRE(create("198.51.100.0/24", &made) == Code::OK);
  CHECK(made.token().addresses(0) == "198.51.100.0/24");
  CallWith call(made.secret());  // from 192.0.2.7
  v1::ListSessionsResponse response;
  const grpc::Status refused = site.stub_->ListSessions(&call, {}, &response);
  CHECK(refused.error_code() == Code::PERMISSION_DENIED);
  CHECK(ErrorReason(FromGrpc(refused)) == "ADDRESS_NOT_ALLOWED");
  CHECK(FromGrpc(refused).message() ==
        "this access token is not allowed from the address \"192.0.2.7\"");
  // The guard's refusals are in the server's own log.
  REQUIRE_THAT(site.server_->audit().RecordNow({.act = "look"}), IsOk());
  std::string entry;
  REQUIRE_THAT(site.server_->database()->Query([&](Database& db) {
    Statement read = db.Prepare(
                           "SELECT actor || ' ' || source || ' ' || "
                           "session_id FROM audit WHERE act='call'")
                         .value();
    if (read.Step().value()) entry = read.Text(0);
    return absl::OkStatus();
  }),
               IsOk());
  CHECK(entry == "ada 192.0.2.7 token-" + made.token().id());
  v1::CreateTokenResponse here;
  REQUIRE(create("192.0.2.0/28", &here) == Code::OK);
  CHECK(site.Sessions(here.secret()).sessions_size() == 1);
}

TEST_CASE("account: a token is shown once, works, is listed, and is revoked",
          "[backend]") {
  Served site;
  const std::string ada = site.LogIn("ada").token;
  v1::CreateTokenResponse made;
  REQUIRE_THAT(site.Create(ada, &made), IsOk());
  CHECK(IsAccessToken(made.secret()));
  CHECK(site.Sessions(made.secret()).sessions_size() == 1);
  v1::ListTokensResponse list;
  {
    CallWith call(ada);
    REQUIRE_THAT(site.stub_->ListTokens(&call, {}, &list), IsOk());
  }
  REQUIRE(list.tokens_size() == 1);
  CHECK(list.tokens(0).name() == "nightly");
  CHECK(list.tokens(0).used_from() == "192.0.2.7");
  CHECK(list.tokens(0).has_used_at());
  CHECK(list.DebugString().find(made.secret()) == std::string::npos);
  CHECK(list.max_days() == 365);
  CHECK(list.scopes_size() == 13);  // of a user
  {
    CallWith script(made.secret());
    v1::CreateTokenRequest request;
    v1::CreateTokenResponse response;
    CHECK(site.stub_->CreateToken(&script, request, &response).error_code() ==
          Code::PERMISSION_DENIED);
  }
  CHECK(site.Revoke(ada, made.token().id()) == Code::OK);
  CallWith again(made.secret());
  v1::ListSessionsResponse response;
  CHECK(site.stub_->ListSessions(&again, {}, &response).error_code() ==
        Code::UNAUTHENTICATED);
  CHECK(site.Ask("SELECT count(*) FROM audit WHERE act LIKE '%-token' AND "
                 "decision='allow' AND actor='ada'") == "2");
}

TEST_CASE("account: a wrong old password has no effect", "[backend]") {
  Served site;
  const NewSession ada = site.LogIn("ada");
  site.LogIn("ada");
  const grpc::Status wrong = site.Change(ada.token, "guess");
  CHECK(wrong.error_code() == Code::INVALID_ARGUMENT);
  CHECK(wrong.error_message() == "the old password is wrong");
  CHECK(site.Change(ada.token, "").error_code() == Code::INVALID_ARGUMENT);
  CHECK(site.Change(ada.token, "right", std::string(1025, 'x')).error_code() ==
        Code::INVALID_ARGUMENT);
  CHECK(site.Sessions(ada.token).sessions_size() == 2);
}

TEST_CASE("account: guesses at the old password are slowed", "[backend]") {
  Served site;
  const NewSession ada = site.LogIn("ada");
  Code last = Code::OK;
  for (int i = 0; i < LoginThrottleConfig().unknown_address_attempts + 2; ++i) {
    last = site.Change(ada.token, "guess").error_code();
  }
  CHECK(last == Code::RESOURCE_EXHAUSTED);
  CHECK(site.Change(ada.token, "right").error_code() ==
        Code::RESOURCE_EXHAUSTED);
}

TEST_CASE("account: shows the directory's message about a new password",
          "[backend]") {
  Served site;
  const NewSession ada = site.LogIn("ada");
  site.directory_.RefuseNewPassword(
      absl::FailedPreconditionError("this password was used before"));
  const grpc::Status refused = site.Change(ada.token, "right");
  CHECK(refused.error_code() == Code::FAILED_PRECONDITION);
  CHECK(refused.error_message() == "this password was used before");
  site.directory_.RefuseNewPassword(
      absl::UnavailableError("ldap: 10.0.0.1 hung up"));
  const grpc::Status away = site.Change(ada.token, "right");
  CHECK(away.error_code() == Code::UNAVAILABLE);
  CHECK(away.error_message().find("10.0.0.1") == std::string::npos);
}

TEST_CASE("account: a new password ends the other sessions", "[backend]") {
  Served site;
  const NewSession ada = site.LogIn("ada");
  const NewSession other = site.LogIn("ada");
  CHECK_THAT(site.Change(ada.token, "right"), IsOk());
  CHECK(site.sessions_->IsLive(ada.session.id));
  CHECK_FALSE(site.sessions_->IsLive(other.session.id));
  CHECK(site.Ask("SELECT result FROM audit WHERE act='change-password'") ==
        "ok");
  CallWith call(ada.token);
  v1::GetPasswordRulesResponse rules;
  REQUIRE_THAT(site.stub_->GetPasswordRules(&call, {}, &rules), IsOk());
  CHECK(rules.changeable());
  CHECK(rules.rules(0) == "at least 12 characters");
}

}  // namespace
}  // namespace carme::backend
