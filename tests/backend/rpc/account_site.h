// The identity of a site behind the real guard and TLS, for the services'
// tests: SQLite, sessions, tokens, audit are real; the directory is the test's.
#ifndef CARME_TESTS_BACKEND_RPC_ACCOUNT_SITE_H_
#define CARME_TESTS_BACKEND_RPC_ACCOUNT_SITE_H_

#include <grpcpp/client_context.h>

#include <catch2/catch.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backend/audit/audit_log.h"
#include "backend/identity/session/token_authenticator.h"
#include "backend/identity/users/user_store.h"
#include "backend/wiring/identity.h"
#include "tests/backend/rpc/guarded_server.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_directory.h"
#include "tests/support/grpc_status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::backend {

class AccountSite {
 public:
  AccountSite() {
    directory_.SetPerson("carol", Account("carol", 20003, Role::kAdmin));
    directory_.SetPerson("sam", Account("sam", 20004, Role::kSupport));
  }

  static Person Account(const std::string& name, uint32_t uid, Role role) {
    return {.username = name,
            .display_name = "Dr. " + name,
            .uid = Uid(uid),
            .role = role};
  }
  NewSession LogIn(const std::string& name) {
    const Person person = directory_.LookUp(name).value();
    REQUIRE_THAT(users_.RecordLogin(person), IsOk());
    return sessions_->Begin(person, "192.0.2.1", "curl/8").value();
  }
  void Serve(ServiceMap services) {
    server_ = std::make_unique<GuardedServer>(&credentials_,
                                              std::move(services), &clock_);
  }
  std::shared_ptr<grpc::Channel> AsFrontend() {
    return server_->Connect(Port::kClients, kFrontendNames);
  }
  // The first column of a query's first row; waits for the audit's writer.
  std::string Ask(const std::string& sql) {
    REQUIRE_THAT(audit_->RecordNow({.act = "look"}), IsOk());
    return AskNow(sql);
  }
  // As it is on the disk at this moment.
  std::string AskNow(const std::string& sql) {
    std::string answer;
    REQUIRE_THAT(database_->Query([&](Database& db) {
      Statement read = db.Prepare(sql).value();
      if (read.Step().value()) answer = read.Text(0);
      return absl::OkStatus();
    }),
                 IsOk());
    return answer;
  }

  FakeClock clock_;
  IdentityConfig identity_config_;
  std::unique_ptr<Database> database_ =
      Database::Open(":memory:", Migrations()).value();
  std::unique_ptr<AuditLog> audit_ =
      AuditLog::Open(database_.get(), &clock_).value();
  FakeDirectory directory_;
  std::unique_ptr<Identity> identity_ =
      Identity::Open({.database = database_.get(),
                      .clock = &clock_,
                      .audit = audit_.get(),
                      .directory = &directory_,
                      .config = &identity_config_,
                      .portal_url = "https://portal.test"})
          .value();
  // Its parts.
  UserStore& users_ = identity_->users;
  const std::unique_ptr<SessionStore>& sessions_ = identity_->sessions;
  const std::unique_ptr<AccessTokens>& tokens_ = identity_->tokens;
  TokenAuthenticator& credentials_ = identity_->authenticator;
  std::unique_ptr<GuardedServer> server_;
};

// A call with this session's token, or this access token.
class CallWith : public grpc::ClientContext {
 public:
  explicit CallWith(const std::string& token) {
    AddMetadata(IsAccessToken(token) ? "carme-token" : "carme-session", token);
    AddMetadata("carme-client-address", "192.0.2.7");
    set_deadline(absl::ToChronoTime(absl::Now() + testing::kWaitTimeout));
  }
};

}  // namespace carme::backend

#endif  // CARME_TESTS_BACKEND_RPC_ACCOUNT_SITE_H_
