// New certificates, authorities and revocation lists, without a restart.
#include <grpcpp/create_channel.h>
#include <grpcpp/impl/service_type.h>
#include <grpcpp/security/credentials.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backend/rpc/server/server_identity.h"
#include "common/file.h"
#include "tests/backend/rpc/guarded_server.h"
#include "tests/support/grpc_status_matchers.h"
#include "tests/support/wait_for.h"

namespace carme::backend {
namespace {

constexpr char kFrontend[] = "URI:carme://frontend/dmz";
constexpr char kLogin[] = "/carme.v1.AuthService/Login";

FixedSessions sessions;

std::string Text(const std::string& file) { return ReadFile(file).value(); }

void Put(const std::string& from, const std::string& to) {
  REQUIRE_THAT(WriteFile(to, Text(from), 0600), IsOk());
}

// A machine that trusts `ca` only and has `own`.
std::shared_ptr<grpc::Channel> Connect(GuardedServer& server,
                                       const TestAuthority& ca,
                                       const IssuedCertificate& own) {
  grpc::ChannelArguments arguments;
  arguments.SetSslTargetNameOverride("carme-backend");
  arguments.SetInt("grpc.use_local_subchannel_pool", 1);
  return grpc::CreateCustomChannel(
      absl::StrCat("127.0.0.1:", server.port(Port::kClients)),
      grpc::SslCredentials({.pem_root_certs = Text(ca.ca_file()),
                            .pem_private_key = Text(own.key_file),
                            .pem_cert_chain = Text(own.certificate_file)}),
      arguments);
}

bool GetsIn(const std::shared_ptr<grpc::Channel>& channel) {
  // The stand-in behind the guard implements nothing.
  return Call(channel, kLogin).error_code() == grpc::StatusCode::UNIMPLEMENTED;
}

// gRPC looks at its copies once a second.
bool GetsInSoon(GuardedServer& server, const TestAuthority& ca,
                const IssuedCertificate& own) {
  return testing::WaitFor([&] { return GetsIn(Connect(server, ca, own)); });
}

TEST_CASE(
    "server identity: refuses a key that others may read, and a pair "
    "that does not belong together",
    "[backend]") {
  GuardedServer server(&sessions);
  TempDir state;
  TlsConfig config = server.config();
  REQUIRE_THAT(ServerIdentity::Open(config, state.path()), IsOk());
  std::filesystem::permissions(config.key, std::filesystem::perms(0644));
  CHECK(absl::IsPermissionDenied(
      ServerIdentity::Open(config, state.path()).status()));
  std::filesystem::permissions(config.key, std::filesystem::perms(0600));
  config.key = server.authority().Issue("other", "DNS:other").key_file;
  CHECK(absl::IsFailedPrecondition(
      ServerIdentity::Open(config, state.path()).status()));
}

TEST_CASE("server identity: a half-written pair leaves the old one in place",
          "[backend]") {
  GuardedServer server(&sessions);
  const IssuedCertificate frontend =
      server.authority().Issue("client", kFrontend);
  const IssuedCertificate next =
      server.authority().Issue("backend", "DNS:carme-backend");
  const auto before = server.identity().Health(21, absl::Now());
  Put(next.key_file, server.config().key);
  server.identity().Refresh(&server.certificates());
  absl::SleepFor(absl::Milliseconds(1500));
  CHECK(GetsIn(Connect(server, server.authority(), frontend)));
  Put(next.certificate_file, server.config().certificate);
  server.identity().Refresh(&server.certificates());
  absl::SleepFor(absl::Milliseconds(1500));
  CHECK(GetsIn(Connect(server, server.authority(), frontend)));
}

TEST_CASE(
    "server identity: a new certificate and a new authority need no "
    "restart and end no connection",
    "[backend]") {
  GuardedServer server(&sessions);
  TestAuthority next;
  const IssuedCertificate old_frontend =
      server.authority().Issue("client", kFrontend);
  const IssuedCertificate new_frontend = next.Issue("client", kFrontend);
  const IssuedCertificate backend = next.Issue("backend", "DNS:carme-backend");
  const auto standing = Connect(server, server.authority(), old_frontend);
  REQUIRE(GetsIn(standing));
  REQUIRE_FALSE(GetsIn(Connect(server, next, new_frontend)));

  Put(backend.key_file, server.config().key);
  Put(backend.certificate_file, server.config().certificate);
  Put(next.ca_file(), server.config().client_ca);
  server.identity().Refresh(&server.certificates());
  CHECK(GetsInSoon(server, next, new_frontend));
  CHECK_FALSE(GetsIn(Connect(server, next, old_frontend)));
  CHECK(GetsIn(standing));
}

TEST_CASE("server identity: a new revocation list counts at the next call",
          "[backend]") {
  GuardedServer server(&sessions);
  TempDir state;
  const IssuedCertificate frontend =
      server.authority().Issue("client", kFrontend);
  const IssuedCertificate other = server.authority().Issue("other", "");
  TlsConfig config = server.config();
  config.client_crl = state.File("crl.pem");
  CHECK_FALSE(ServerIdentity::Open(config, state.path()).ok());
  REQUIRE_THAT(
      WriteFile(config.client_crl, server.authority().Revoke(other), 0644),
      IsOk());
  const auto identity = ServerIdentity::Open(config, state.path()).value();
  CHECK_FALSE(identity->Refresh(&server.certificates()));

  const auto channel = Connect(server, server.authority(), frontend);
  CHECK(GetsIn(channel));
  const std::string list = server.authority().Revoke(frontend);
  REQUIRE_THAT(WriteFile(config.client_crl, list.substr(0, 100), 0644), IsOk());
  CHECK_FALSE(identity->Refresh(&server.certificates()));
  CHECK(GetsIn(channel));
  REQUIRE_THAT(WriteFile(config.client_crl, list, 0644), IsOk());
  CHECK(identity->Refresh(&server.certificates()));
  CHECK_FALSE(GetsIn(channel));
}

}  // namespace
}  // namespace carme::backend
