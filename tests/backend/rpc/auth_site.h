// The log-in as a gateway sees it: real TLS, real slapd, real SQLite.
#ifndef CARME_TESTS_BACKEND_RPC_AUTH_SITE_H_
#define CARME_TESTS_BACKEND_RPC_AUTH_SITE_H_

#include <fcntl.h>
#include <grpcpp/client_context.h>
#include <liboath/oath.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_split.h"
#include "backend/audit/audit_log.h"
#include "backend/identity/ldap/ldap_directory.h"
#include "backend/identity/login/identity_config.h"
#include "backend/rpc/services/services.h"
#include "backend/wiring/identity.h"
#include "carme/v1/auth.grpc.pb.h"
#include "common/encoding.h"
#include "common/file.h"
#include "tests/backend/rpc/guarded_server.h"
#include "tests/support/fake_clock.h"
#include "tests/support/servers/slapd_server.h"
#include "tests/support/temp_dir.h"

namespace carme::backend {

inline SlapdServer& AuthSlapd() {
  static SlapdServer server;
  return server;
}

// The backend's part of a log-in, whole.
struct AuthSite {
  FakeClock clock;
  IdentityConfig config;
  std::unique_ptr<Database> database =
      Database::Open(":memory:", Migrations()).value();
  std::unique_ptr<LdapDirectory> directory =
      LdapDirectory::Create(AuthSlapd().Config()).value();
  std::unique_ptr<AuditLog> audit =
      AuditLog::Open(database.get(), &clock).value();
  std::unique_ptr<Identity> identity;
  std::unique_ptr<GuardedServer> server;
  std::unique_ptr<v1::AuthService::Stub> stub;

  explicit AuthSite(absl::Duration failure_delay = absl::ZeroDuration()) {
    config.sessions.failure_delay = failure_delay;
    identity = Identity::Open({.database = database.get(),
                               .clock = &clock,
                               .audit = audit.get(),
                               .directory = directory.get(),
                               .config = &config,
                               .portal_url = "https://portal.test"})
                   .value();
    server = std::make_unique<GuardedServer>(
        &identity->authenticator,
        NewAuthService({.login_flow = &identity->login_flow,
                        .reauthentication = &identity->reauthentication,
                        .sessions = &identity->authenticator,
                        .site = &identity->second_factor.site(),
                        .config = &config.sessions,
                        .audit = audit.get()}),
        "auth", &clock);
    stub = v1::AuthService::NewStub(
        server->Connect(Port::kClients, "URI:carme://frontend/dmz"));
  }

  grpc::Status Login(const std::string& name, const std::string& password,
                     v1::LoginResponse* response = nullptr,
                     const std::string& address = "192.0.2.1") {
    grpc::ClientContext context;
    context.AddMetadata("carme-client-address", address);
    context.AddMetadata("carme-request-id", "request-1");
    v1::LoginRequest request;
    request.set_username(name);
    request.set_password(password);
    v1::LoginResponse ignored;
    return stub->Login(&context, request,
                       response == nullptr ? &ignored : response);
  }
  grpc::Status Verify(const std::string& challenge, const std::string& totp,
                      v1::VerifyFactorResponse* response = nullptr,
                      const std::string& address = "192.0.2.1") {
    grpc::ClientContext context;
    context.AddMetadata("carme-client-address", address);
    context.AddMetadata("carme-request-id", "request-2");
    v1::VerifyFactorRequest request;
    request.set_challenge(challenge);
    request.set_totp(totp);
    v1::VerifyFactorResponse ignored;
    return stub->VerifyFactor(&context, request,
                              response == nullptr ? &ignored : response);
  }
  grpc::Status GetSession(const std::string& token, v1::Session* session) {
    grpc::ClientContext context;
    context.AddMetadata("carme-session", token);
    v1::GetSessionResponse response;
    const grpc::Status status = stub->GetSession(&context, {}, &response);
    *session = response.session();
    return status;
  }
  grpc::Status Logout(const std::string& token) {
    grpc::ClientContext context;
    context.AddMetadata("carme-session", token);
    context.AddMetadata("carme-client-address", "192.0.2.1");
    v1::LogoutResponse response;
    return stub->Logout(&context, {}, &response);
  }
  std::string CodeOf(const std::string& base32) {
    const std::string secret = Base32Decode(base32).value();
    char code[7] = {};
    oath_totp_generate(secret.data(), secret.size(),
                       absl::ToUnixSeconds(clock.Now()), 30, 0, 6, code);
    return code;
  }
};

// What goes to stderr while it lives.
class CapturedLog {
 public:
  CapturedLog() : old_(dup(STDERR_FILENO)) {
    const int fd = open(dir_.File("log").c_str(), O_WRONLY | O_CREAT, 0600);
    dup2(fd, STDERR_FILENO);
    close(fd);
  }
  ~CapturedLog() {
    dup2(old_, STDERR_FILENO);
    close(old_);
  }
  std::string Text() const { return ReadFile(dir_.File("log")).value(); }
  std::vector<std::string> Lines() const {
    return absl::StrSplit(Text(), '\n', absl::SkipEmpty());
  }

 private:
  TempDir dir_;
  int old_;
};

}  // namespace carme::backend

#endif  // CARME_TESTS_BACKEND_RPC_AUTH_SITE_H_
