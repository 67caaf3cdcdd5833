// Every rpc of the contract against every kind of caller, over real TLS. The
// table is made of the descriptors: an rpc that is added tomorrow is tested.
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <atomic>
#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "backend/audit/audit_table.h"
#include "backend/rpc/access/caller.h"
#include "carme/v1/admin.grpc.pb.h"
#include "carme/v1/auth.grpc.pb.h"
#include "common/file.h"
#include "common/grpc/grpc_status.h"
#include "common/grpc/status_origin.h"
#include "common/protobuf/error_details.h"
#include "tests/backend/rpc/guarded_server.h"
#include "tests/support/grpc_status_matchers.h"

namespace carme::backend {
namespace {

constexpr char kFrontend[] = "URI:carme://frontend/dmz";
constexpr char kProxy[] = "URI:carme://proxy/dmz";

FixedSessions sessions;

const CallMetadata kNobody = {};
const CallMetadata kUnauthenticated = {{"carme-session", "guessed"}};
const CallMetadata kUser = {{"carme-session", "token-of-ada"}};
const CallMetadata kAdmin = {{"carme-session", "token-of-carol"}};

bool LetIn(const grpc::Status& status) {
  return status.error_code() == grpc::StatusCode::UNIMPLEMENTED;
}

// The rpcs that a caller was let into, of all there are.
std::vector<std::string> Reached(const std::shared_ptr<grpc::Channel>& channel,
                                 const CallMetadata& metadata) {
  std::vector<std::string> reached;
  for (const auto& [path, access] : ReadAccessTable(RegisteredProtoFiles())) {
    const grpc::Status status = Call(channel, path, metadata);
    INFO(path << ": " << status.error_code() << " " << status.error_message());
    CHECK((LetIn(status) ||
           status.error_code() == grpc::StatusCode::PERMISSION_DENIED ||
           status.error_code() == grpc::StatusCode::UNAUTHENTICATED));
    // Otherwise the frontend does not show its message.
    CHECK((LetIn(status) || !ErrorReason(FromGrpc(status)).empty()));
    if (LetIn(status)) reached.push_back(path);
  }
  std::sort(reached.begin(), reached.end());
  return reached;
}

// The rpcs whose option names one of these callers.
std::vector<std::string> Meant(const std::vector<v1::Caller>& callers) {
  std::vector<std::string> meant;
  for (const auto& [path, access] : ReadAccessTable(RegisteredProtoFiles())) {
    if (std::count(callers.begin(), callers.end(), access.caller()) > 0) {
      meant.push_back(path);
    }
  }
  std::sort(meant.begin(), meant.end());
  return meant;
}

TEST_CASE("access: no certificate fails in the handshake", "[backend]") {
  GuardedServer server(&sessions);
  const auto channel = server.Connect(Port::kClients, "");
  for (const auto& [path, access] : ReadAccessTable(RegisteredProtoFiles())) {
    CHECK_THAT(Call(channel, path, kUser),
               StatusIs(grpc::StatusCode::UNAVAILABLE));
  }
}

TEST_CASE("access: a foreign CA's certificate fails in the handshake",
          "[backend]") {
  GuardedServer server(&sessions);
  TestAuthority foreign;
  const IssuedCertificate own = foreign.Issue("client", kFrontend);
  const auto channel =
      server.ConnectWith(Port::kClients, own.certificate_file, own.key_file);
  CHECK_THAT(Call(channel, "/carme.v1.AuthService/Login"),
             StatusIs(grpc::StatusCode::UNAVAILABLE));
}

// The frontend shows the message of a status that has the mark.
TEST_CASE("access: the status of a handler is marked as the backend's",
          "[backend]") {
  GuardedServer server(&sessions);
  const auto channel = server.Connect(Port::kClients, kFrontend);
  const auto stub = v1::AuthService::NewStub(channel);
  const auto marked = [](const grpc::ClientContext& context) {
    return context.GetServerTrailingMetadata().count(kStatusOriginKey) == 1;
  };
  grpc::ClientContext handled, refused;
  v1::LoginResponse login;
  CHECK(LetIn(stub->Login(&handled, {}, &login)));
  CHECK(marked(handled));
  v1::GetSessionResponse session;
  CHECK_THAT(stub->GetSession(&refused, {}, &session),
             StatusIs(grpc::StatusCode::UNAUTHENTICATED));
  CHECK_FALSE(marked(refused));
}

TEST_CASE("access: refused, handled and unknown calls are counted",
          "[backend]") {
  GuardedServer server(&sessions);
  const auto channel = server.Connect(Port::kClients, kFrontend);
  CHECK(LetIn(Call(channel, "/carme.v1.AuthService/Login")));
  CHECK_THAT(Call(channel, "/carme.v1.AuthService/GetSession"),
             StatusIs(grpc::StatusCode::UNAUTHENTICATED));
  for (const char* path : {"/carme.v1.AuthService/NoSuch", "/x.Y/Z"}) {
    CHECK_THAT(Call(channel, path),
               StatusIs(grpc::StatusCode::PERMISSION_DENIED));
  }
  MetricsWriter writer("");
  server.calls().Write({.total = "calls",
                        .total_help = "",
                        .seconds = "seconds",
                        .seconds_help = "",
                        .kind = "rpc",
                        .result = "code"},
                       &writer);
  const std::string text = writer.Take();
  INFO(text);
  for (const char* line :
       {"\ncalls{rpc=\"AuthService/Login\",code=\"UNIMPLEMENTED\"} 1\n",
        "\ncalls{rpc=\"AuthService/GetSession\",code=\"UNAUTHENTICATED\"} 1\n",
        "\ncalls{rpc=\"unknown\",code=\"PERMISSION_DENIED\"} 2\n",
        "\nseconds_count{rpc=\"AuthService/Login\"} 1\n"}) {
    INFO(line);
    CHECK(text.find(line) != std::string::npos);
  }
  CHECK(text.find("NoSuch") == std::string::npos);
  CHECK(text.find("seconds_count{rpc=\"AuthService/GetSession\"}") ==
        std::string::npos);
}

TEST_CASE("access: a certificate of another name reaches nothing",
          "[backend]") {
  GuardedServer server(&sessions);
  for (const char* names :
       {"DNS:carme-frontend", "DNS:frontend", "DNS:dmz,DNS:carme-frontend",
        "email:carme-frontend", "URI:carme-frontend", "URI:carme://frontend",
        "URI:carme://frontend/other", "URI:carme://user/dmz",
        "URI:carme://FRONTEND/dmz", "URI:carme://backend/dmz",
        "URI:carme://job/dmz", "URI:https://frontend/dmz"}) {
    INFO(names);
    CHECK(Reached(server.Connect(Port::kClients, names), kUser).empty());
  }
}

TEST_CASE("access: a certificate with two URIs reaches nothing", "[backend]") {
  GuardedServer server(&sessions);
  for (const char* names :
       {"URI:carme://frontend/dmz,URI:carme://proxy/dmz",
        "URI:carme://frontend/dmz,URI:carme://frontend/dmz",
        "URI:carme://frontend/dmz,URI:https://example.org/"}) {
    INFO(names);
    CHECK(Reached(server.Connect(Port::kClients, names), kUser).empty());
  }
}

TEST_CASE(
    "access: a certificate that is revoked reaches nothing, on an open "
    "connection as well",
    "[backend]") {
  GuardedServer server(&sessions);
  const IssuedCertificate own = server.authority().Issue("client", kFrontend);
  const auto channel =
      server.ConnectWith(Port::kClients, own.certificate_file, own.key_file);
  const auto proxy = server.Connect(Port::kClients, kProxy);
  CHECK_FALSE(Reached(channel, kUser).empty());
  server.certificates().Use(
      *Revocations::Read(server.authority().Revoke(own),
                         ReadFile(server.authority().ca_file()).value()));
  CHECK(Reached(channel, kUser).empty());
  CHECK(Reached(server.ConnectWith(Port::kClients, own.certificate_file,
                                   own.key_file),
                kUser)
            .empty());
  CHECK_FALSE(Reached(proxy, kUser).empty());
  CHECK_FALSE(
      Reached(server.Connect(Port::kClients, kFrontend), kUser).empty());
}

TEST_CASE("access: a common name is not a machine's name", "[backend]") {
  GuardedServer server(&sessions);
  const IssuedCertificate own = server.authority().Issue("carme-frontend", "");
  CHECK(Reached(server.ConnectWith(Port::kClients, own.certificate_file,
                                   own.key_file),
                kUser)
            .empty());
}

TEST_CASE("access: the frontend's certificate alone reaches public rpcs only",
          "[backend]") {
  GuardedServer server(&sessions);
  const auto channel = server.Connect(Port::kClients, kFrontend);
  CHECK(Reached(channel, kNobody) == Meant({v1::CALLER_PUBLIC}));
  CHECK(Reached(channel, kUnauthenticated) == Meant({v1::CALLER_PUBLIC}));
  CHECK(Meant({v1::CALLER_PUBLIC}) ==
        std::vector<std::string>{
            "/carme.v1.AnnouncementService/ListPublicAnnouncements",
            "/carme.v1.AuthService/Login", "/carme.v1.AuthService/VerifyFactor",
            "/carme.v1.LogService/ReportFrontendLog",
            "/carme.v1.MaintenanceService/GetMaintenance"});
}

TEST_CASE("access: refuses a call with two session tokens", "[backend]") {
  GuardedServer server(&sessions);
  const auto channel = server.Connect(Port::kClients, kFrontend);
  const CallMetadata two = {{"carme-session", "token-of-ada"},
                            {"carme-session", "token-of-carol"}};
  CHECK(Reached(channel, two) == Meant({v1::CALLER_PUBLIC}));
}

TEST_CASE("access: a session of a user does not make an administrator",
          "[backend]") {
  CHECK_THAT(CheckRole(v1::CALLER_ADMIN, Role::kUser),
             StatusIs(absl::StatusCode::kPermissionDenied));
  CHECK_THAT(CheckRole(v1::CALLER_ADMIN, Role::kAdmin), IsOk());
  GuardedServer server(&sessions);
  const auto channel = server.Connect(Port::kClients, kFrontend);
  CHECK(Reached(channel, kUser) == Meant({v1::CALLER_PUBLIC, v1::CALLER_USER}));
  CHECK(Reached(channel, kAdmin) ==
        Meant({v1::CALLER_PUBLIC, v1::CALLER_USER, v1::CALLER_MANAGER,
               v1::CALLER_SUPPORT, v1::CALLER_ADMIN}));
}

TEST_CASE("access: the proxy reaches its rpcs only, with a session too",
          "[backend]") {
  GuardedServer server(&sessions);
  const auto channel = server.Connect(Port::kClients, kProxy);
  CHECK(Reached(channel, kNobody) == Meant({v1::CALLER_PROXY}));
  CHECK(Reached(channel, kAdmin) == Meant({v1::CALLER_PROXY}));
}

TEST_CASE("access: the agents' port serves agents only", "[backend]") {
  GuardedServer server(&sessions);
  CHECK(Reached(server.Connect(Port::kAgents, ""), kAdmin) ==
        Meant({v1::CALLER_AGENT}));
  CHECK(Reached(server.Connect(Port::kAgents, kFrontend), kAdmin) ==
        Meant({v1::CALLER_AGENT}));
  CHECK(Reached(server.Connect(Port::kAgents, kProxy), kNobody) ==
        Meant({v1::CALLER_AGENT}));
}

TEST_CASE("access: refuses methods without an access option", "[backend]") {
  GuardedServer server(&sessions);
  const auto channel = server.Connect(Port::kClients, kFrontend);
  for (const char* path :
       {"/carme.v1.AuthService/NoSuchThing", "/carme.v2.AuthService/Login",
        "/grpc.health.v1.Health/Check", "/carme.v1.AuthService/Login/",
        "/carme.v1.AuthService.Login", "/", "//carme.v1.AuthService/Login",
        "/carme.v1.authservice/login"}) {
    INFO(path);
    CHECK_THAT(Call(channel, path, kAdmin),
               StatusIs(grpc::StatusCode::PERMISSION_DENIED));
  }
}

// Returns what its handler got about the caller.
class EchoService : public v1::AuthService::Service {
  grpc::Status GetSession(grpc::ServerContext* context,
                          const v1::GetSessionRequest*,
                          v1::GetSessionResponse* response) override {
    const Caller caller = CallerOf(*context);
    response->mutable_session()->set_username(
        caller.session.username + "|" + caller.session.id.value() + "|" +
        std::to_string(caller.session.uid.value()) + "|" + caller.request_id +
        "|" + caller.client_address + "|" + caller.user_agent + "|" +
        PeerAddress(*context));
    response->mutable_session()->set_display_name(caller.session.display_name);
    response->mutable_session()->set_role(
        caller.session.role == Role::kAdmin ? v1::ROLE_ADMIN : v1::ROLE_USER);
    response->mutable_session()->mutable_expires_at()->set_seconds(
        absl::ToUnixSeconds(caller.session.expires_at));
    return grpc::Status::OK;
  }
};

grpc::Status Ask(const std::shared_ptr<grpc::Channel>& channel,
                 const CallMetadata& metadata, v1::Session* session) {
  grpc::ClientContext context;
  for (const auto& [key, value] : metadata) context.AddMetadata(key, value);
  v1::GetSessionResponse response;
  const grpc::Status status =
      v1::AuthService::NewStub(channel)->GetSession(&context, {}, &response);
  *session = response.session();
  return status;
}

// Returns the result of FixedSessions once for each person, then none.
class LostMeanwhile : public FixedSessions {
 public:
  explicit LostMeanwhile(const absl::StatusOr<Role>& later) : later_(later) {}
  absl::StatusOr<Session> Authenticate(std::string_view token,
                                       std::string_view from) override {
    absl::StatusOr<Session> session = FixedSessions::Authenticate(token, from);
    if (asked_++ == 0 || !session.ok()) return session;
    if (!later_.ok()) return later_.status();
    session->role = *later_;
    return session;
  }

 private:
  const absl::StatusOr<Role> later_;
  std::atomic<int> asked_ = 0;
};

// Performs every request, from any caller.
class CarelessService : public v1::AdminService::Service {
 public:
  explicit CarelessService(std::string* done) : done_(*done) {}

 private:
  grpc::Status EndUserSessions(grpc::ServerContext* context,
                               const v1::EndUserSessionsRequest* request,
                               v1::EndUserSessionsResponse*) override {
    done_ = CallerOf(*context).session.username + " ends " +
            request->username() + request->reason();
    return grpc::Status::OK;
  }
  std::string& done_;
};

grpc::Status EndSessionsOfBob(GuardedServer& server) {
  grpc::ClientContext context;
  context.AddMetadata("carme-session", "token-of-carol");
  v1::EndUserSessionsRequest request;
  request.set_username("bob");
  request.set_reason("why");
  v1::EndUserSessionsResponse response;
  return v1::AdminService::NewStub(server.Connect(Port::kClients, kFrontend))
      ->EndUserSessions(&context, request, &response);
}

TEST_CASE("caller: a lost role or session stops a handler", "[backend]") {
  for (const absl::StatusOr<Role>& later :
       {absl::StatusOr<Role>(Role::kUser), absl::StatusOr<Role>(Role::kSupport),
        absl::StatusOr<Role>(absl::UnauthenticatedError("over"))}) {
    LostMeanwhile known(later);
    std::string done = " ends ";
    GuardedServer server(&known, std::make_unique<CarelessService>(&done),
                         "admin");
    CHECK_THAT(EndSessionsOfBob(server), StatusIs(grpc::StatusCode::CANCELLED));
    CHECK(done == " ends ");
  }
  LostMeanwhile known(Role::kAdmin);
  std::string done;
  GuardedServer server(&known, std::make_unique<CarelessService>(&done),
                       "admin");
  CHECK_THAT(EndSessionsOfBob(server), IsOk());
  CHECK(done == "carol ends bobwhy");
}

TEST_CASE("caller: refusals of handlers are in the audit log", "[backend]") {
  LostMeanwhile known(Role::kUser);
  std::string done;
  GuardedServer server(&known, std::make_unique<CarelessService>(&done),
                       "admin");
  EndSessionsOfBob(server);
  REQUIRE_THAT(server.audit().RecordNow({.act = "mark"}), IsOk());
  const std::vector<AuditEntry> entries =
      ReadPiece(server.database(), {}, AuditOrder::kOldestFirst, kOldest)
          ->entries;
  REQUIRE(entries.size() == 2);
  CHECK(entries[0].act == "call");
  CHECK(entries[0].decision == "refuse");
  CHECK(entries[0].actor == "carol");
  CHECK(entries[0].session_id == "session-of-carol");
  CHECK(entries[0].machine == "carme://frontend/dmz");
  CHECK(entries[0].subject == "/carme.v1.AdminService/EndUserSessions");
  CHECK(absl::StartsWith(entries[0].result, "PERMISSION_DENIED: "));
}

TEST_CASE("caller: a client cannot choose its identity", "[backend]") {
  GuardedServer server(&sessions, std::make_unique<EchoService>(), "auth");
  const auto channel = server.Connect(Port::kClients, kFrontend);
  v1::Session session;
  for (const char* key :
       {"carme-caller-username", "carme-caller-uid", "carme-caller-bin"}) {
    CHECK_THAT(Ask(channel, {{"carme-session", "token-of-ada"}, {key, "root"}},
                   &session),
               StatusIs(grpc::StatusCode::PERMISSION_DENIED));
  }
}

TEST_CASE("caller: the handler receives the guard's result", "[backend]") {
  GuardedServer server(&sessions, std::make_unique<EchoService>(), "auth");
  const auto channel = server.Connect(Port::kClients, kFrontend);
  v1::Session session;
  REQUIRE_THAT(Ask(channel,
                   {{"carme-session", "token-of-carol"},
                    {"carme-request-id", "r-1"},
                    {"carme-client-address", "192.0.2.7"},
                    {"carme-user-agent", std::string(300, 'x')}},
                   &session),
               IsOk());
  CHECK(session.username() == "carol|session-of-carol|20001|r-1|192.0.2.7|" +
                                  std::string(200, 'x') + "|127.0.0.1");
  CHECK(session.display_name() == "Dr. carol");
  CHECK(session.role() == v1::ROLE_ADMIN);
  CHECK(session.expires_at().seconds() == 1'800'086'400);
}

TEST_CASE("caller: callers on one connection do not mix", "[backend]") {
  GuardedServer server(&sessions, std::make_unique<EchoService>(), "auth");
  const auto channel = server.Connect(Port::kClients, kFrontend);
  const std::vector<std::string> names = {"ada", "carol", "bob", "ada"};
  for (const std::string& name : names) {
    v1::Session session;
    REQUIRE_THAT(
        Ask(channel, {{"carme-session", "token-of-" + name}}, &session),
        IsOk());
    CHECK(session.username().substr(0, name.size() + 1) == name + "|");
  }
}

TEST_CASE("caller: replaces an invalid request id", "[backend]") {
  GuardedServer server(&sessions, std::make_unique<EchoService>(), "auth");
  const auto channel = server.Connect(Port::kClients, kFrontend);
  const std::vector<std::string> ids = {"a b", std::string(65, 'x'), ""};
  for (const std::string& id : ids) {
    v1::Session session;
    REQUIRE_THAT(
        Ask(channel,
            {{"carme-session", "token-of-ada"}, {"carme-request-id", id}},
            &session),
        IsOk());
    CHECK(session.username().find("20001|" + id + "|") == std::string::npos);
  }
}

// Whether a handshake of this TLS version succeeds.
bool Handshakes(int port, int version) {
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context(
      SSL_CTX_new(TLS_client_method()), SSL_CTX_free);
  SSL_CTX_set_security_level(context.get(), 0);
  SSL_CTX_set_min_proto_version(context.get(), version);
  SSL_CTX_set_max_proto_version(context.get(), version);
  BIO* bio = BIO_new_ssl_connect(context.get());
  BIO_set_conn_hostname(bio, ("127.0.0.1:" + std::to_string(port)).c_str());
  const bool done = BIO_do_handshake(bio) == 1;
  BIO_free_all(bio);
  ERR_clear_error();
  return done;
}

TEST_CASE("ports: one that is in use is an error", "[backend]") {
  GuardedServer server(&sessions);
  const SystemClock clock;
  AccessGuard guard(&sessions, &clock, {"dmz", "dmz"}, &server.audit());
  for (const Port port : {Port::kClients, Port::kAgents}) {
    TlsConfig config = server.config();
    const std::string taken = "127.0.0.1:" + std::to_string(server.port(port));
    (port == Port::kClients ? config.clients : config.agents) = taken;
    const auto second =
        GrpcServer::Start(port, config, server.identity(), guard, {});
    REQUIRE_FALSE(second.ok());
    CHECK(absl::StrContains(second.status().message(), taken));
  }
}

TEST_CASE("ports: TLS 1.1 is refused, 1.2 and 1.3 are spoken", "[backend]") {
  GuardedServer server(&sessions);
  CHECK_FALSE(Handshakes(server.port(Port::kAgents), TLS1_1_VERSION));
  CHECK(Handshakes(server.port(Port::kAgents), TLS1_2_VERSION));
  CHECK(Handshakes(server.port(Port::kAgents), TLS1_3_VERSION));
}

}  // namespace
}  // namespace carme::backend
