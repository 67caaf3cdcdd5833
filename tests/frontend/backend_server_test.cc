// The gateway when the backend fails, is slow, stops and starts again.
#include <netinet/in.h>
#include <sys/socket.h>

#include <catch2/catch.hpp>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/listen.h"
#include "common/pki/certificate.h"
#include "frontend/backend/backend_channel.h"
#include "frontend/backend/backend_client.h"
#include "frontend/gateway/connect_request.h"
#include "tests/frontend/portal_fixture.h"
#include "tests/support/status_matchers.h"

namespace carme::frontend {
namespace {

using testing::HttpAnswer;
using testing::kWaitTimeout;
using testing::PortalFixture;
using testing::WaitFor;

HttpAnswer GetJob(const PortalFixture& portal, const std::string& id,
                  const std::string& headers = "") {
  return portal.Call("JobService/GetJob", "{\"jobId\":\"" + id + "\"}",
                     headers);
}

std::string Error(const HttpAnswer& answer) {
  return answer.body.substr(0, answer.body.find(",\"requestId\""));
}

constexpr char kFrontendUri[] = "URI:carme://frontend/dmz";

constexpr char kAway[] =
    "{\"code\":\"unavailable\",\"message\":\"Carme's backend cannot be "
    "reached; try again\"";

TEST_CASE("backend: its error messages reach the browser", "[frontend]") {
  const PortalFixture portal;
  const HttpAnswer missing = GetJob(portal, "missing");
  CHECK(missing.status == 404);
  CHECK(Error(missing) ==
        R"({"code":"not_found","message":"job \"missing\" does not exist")");
  CHECK(missing.body.find("\"requestId\":\"" +
                          missing.Header("x-request-id")) != std::string::npos);
  const HttpAnswer busy = GetJob(portal, "busy");
  CHECK(busy.status == 503);
  CHECK(Error(busy) ==
        R"({"code":"unavailable","message":"Slurm cannot be reached")");
}

TEST_CASE("backend: errors of its access check reach the browser",
          "[frontend]") {
  const PortalFixture portal;
  const HttpAnswer answer = GetJob(portal, "stale");
  CHECK(answer.status == 400);
  CHECK(Error(answer) == R"({"code":"failed_precondition",)"
                         R"("message":"confirm your second factor")");
  CHECK(answer.body.find(R"("reason":"REAUTHENTICATION_REQUIRED")") !=
        std::string::npos);
}

TEST_CASE("backend: errors without mark and reason are hidden", "[frontend]") {
  const PortalFixture portal;
  const HttpAnswer answer = GetJob(portal, "unmarked");
  CHECK(answer.status == 500);
  CHECK(Error(answer) ==
        R"({"code":"internal","message":"something went wrong inside Carme")");
}

TEST_CASE("backend: internal errors do not reach the browser", "[frontend]") {
  const PortalFixture portal;
  const HttpAnswer answer = GetJob(portal, "broken");
  CHECK(answer.status == 500);
  CHECK(Error(answer) ==
        R"({"code":"internal","message":"something went wrong inside Carme")");
}

TEST_CASE("backend: a call ends at the client's deadline", "[frontend]") {
  const PortalFixture portal;
  const absl::Time start = absl::Now();
  const HttpAnswer answer =
      GetJob(portal, "slow", "Connect-Timeout-Ms: 300\r\n");
  CHECK(answer.status == 504);
  CHECK(absl::Now() - start < kMaxCallTime);
}

TEST_CASE("backend: a large response arrives complete", "[frontend]") {
  const PortalFixture portal;
  const HttpAnswer answer = GetJob(portal, "large");
  CHECK(answer.status == 200);
  CHECK(answer.body.size() > (1 << 20));
}

TEST_CASE("backend: refuses one with another name", "[frontend]") {
  PortalFixture portal({.expected_backend = "another-name"});
  const absl::Time start = absl::Now();
  const HttpAnswer answer = GetJob(portal, "a");
  CHECK(answer.status == 503);
  CHECK(Error(answer) == kAway);
  CHECK(absl::Now() - start < kMaxCallTime);
  CHECK(portal.backend().calls() == 0);
}

TEST_CASE("backend: a handshake that does not complete times out",
          "[frontend]") {
  const UniqueFd silent = *ListenTcp("127.0.0.1:0");
  BackendClient link(
      {.address = absl::StrCat("127.0.0.1:", *PortOf(silent.get())),
       .server_name = "carme-backend"});
  BackendChannel channel(&link);
  const absl::Time start = absl::Now();
  const auto answer = channel.Call({.method = "/carme.v1.JobService/GetJob",
                                    .metadata = {},
                                    .deadline = start + kWaitTimeout,
                                    .request_id = "r-1"},
                                   "");
  CHECK_THAT(answer, StatusIs(absl::StatusCode::kUnavailable));
  CHECK(absl::Now() - start < kWaitTimeout / 2);
}

BackendOptions OptionsFor(const testing::FakeBackend& backend,
                          const testing::TestCa& its_issuer,
                          const testing::TestCa& our_issuer) {
  const testing::TestIdentity own = our_issuer.IssueNames(kFrontendUri);
  return {.address = backend.address(),
          .server_name = "carme-backend",
          .tls = {.certificate = own.certificate_pem,
                  .key = own.key_pem,
                  .ca = its_issuer.certificate_pem(),
                  .crl = "",
                  .revoked = {}}};
}

absl::StatusCode CodeOfCall(BackendClient& link) {
  return BackendChannel(&link)
      .Call({.method = "/carme.v1.JobService/GetJob",
             .metadata = {},
             .deadline = absl::Now() + kWaitTimeout,
             .request_id = "r-1"},
            "")
      .status()
      .code();
}

TEST_CASE("backend: uses a new certificate without a restart", "[frontend]") {
  const testing::TestCa ca("site"), foreign("site");
  const testing::FakeBackend backend(ca);
  BackendClient link(OptionsFor(backend, ca, foreign));
  CHECK(CodeOfCall(link) == absl::StatusCode::kUnavailable);
  link.Use(OptionsFor(backend, ca, ca));
  CHECK(WaitFor([&] { return link.connected(); }));
  CHECK(CodeOfCall(link) == absl::StatusCode::kOk);
  link.Use(OptionsFor(backend, ca, foreign));
  CHECK(WaitFor([&] { return !link.connected(); }));
  CHECK(CodeOfCall(link) == absl::StatusCode::kUnavailable);
}

TEST_CASE("backend: refuses one of another authority", "[frontend]") {
  const testing::TestCa ca("site"), foreign("site");
  const testing::FakeBackend backend(foreign);
  BackendClient link(OptionsFor(backend, ca, foreign));
  CHECK(CodeOfCall(link) == absl::StatusCode::kUnavailable);
  CHECK(backend.calls() == 0);
}

TEST_CASE("backend: refuses one with a revoked certificate", "[frontend]") {
  const testing::TestCa ca("site");
  const testing::FakeBackend backend(ca);
  const BackendOptions good = OptionsFor(backend, ca, ca);
  BackendOptions revoking = good, other = good;
  revoking.tls.revoked = *Revocations::Read(
      ca.RevocationList({ReadCertificate(backend.certificate_pem())->serial}),
      ca.certificate_pem());
  other.tls.revoked =
      *Revocations::Read(ca.RevocationList({"0a"}), ca.certificate_pem());
  BackendClient link(revoking);
  CHECK(CodeOfCall(link) == absl::StatusCode::kUnavailable);
  CHECK(backend.calls() == 0);
  link.Use(other);
  CHECK(WaitFor([&] { return link.connected(); }));
  CHECK(CodeOfCall(link) == absl::StatusCode::kOk);
}

TEST_CASE("backend: revoking certificates ends open streams", "[frontend]") {
  const testing::TestCa ca("site");
  const testing::FakeBackend backend(ca);
  const BackendOptions good = OptionsFor(backend, ca, ca);
  BackendOptions revoking = good;
  revoking.tls.revoked = *Revocations::Read(
      ca.RevocationList({ReadCertificate(backend.certificate_pem())->serial}),
      ca.certificate_pem());
  BackendClient link(good);
  absl::Status end;
  std::thread reader([&] {
    end = BackendChannel(&link).Stream(
        {.method = "/carme.v1.JobService/WatchJobs",
         .metadata = {{"carme-session", testing::kKnownToken}},
         .deadline = absl::Now() + kWaitTimeout,
         .request_id = "r-1"},
        "", [](const std::string&) { return true; }, [] { return false; });
  });
  CHECK(WaitFor([&] { return backend.open_streams() == 1; }));
  link.Use(good);  // new files alone end no stream
  absl::SleepFor(absl::Milliseconds(700));
  CHECK(backend.open_streams() == 1);
  link.Use(revoking);
  const absl::Time start = absl::Now();
  reader.join();
  CHECK(absl::Now() - start < kWaitTimeout / 2);
  CHECK_THAT(end, StatusIs(absl::StatusCode::kUnavailable));
}

TEST_CASE("backend: only the first call waits for a stopped one",
          "[frontend]") {
  PortalFixture portal;
  REQUIRE(GetJob(portal, "a").status == 200);
  portal.backend().Stop();
  const absl::Time start = absl::Now();
  for (int i = 0; i < 10; ++i) {
    const HttpAnswer answer = GetJob(portal, "a");
    CHECK(answer.status == 503);
    CHECK(Error(answer) == kAway);
  }
  // Only the first waits for two seconds; ten would take twenty.
  CHECK(absl::Now() - start < absl::Seconds(15));
}

// Like a killed backend: the kernel closes its connections.
int ShutDownConnectionsTo(int port) {
  int ended = 0;
  for (int fd = 3; fd < 1024; ++fd) {
    // gRPC listens on IPv6; the port has the same place in both addresses.
    sockaddr_in6 local{}, peer{};
    socklen_t size = sizeof local;
    if (getsockname(fd, reinterpret_cast<sockaddr*>(&local), &size) != 0 ||
        (local.sin6_family != AF_INET && local.sin6_family != AF_INET6) ||
        ntohs(local.sin6_port) != port) {
      continue;
    }
    size = sizeof peer;
    if (getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) != 0) {
      continue;
    }
    if (shutdown(fd, SHUT_RDWR) == 0) ++ended;
  }
  return ended;
}

TEST_CASE(
    "backend: a connection that breaks during a call is not described "
    "with gRPC's text",
    "[frontend]") {
  PortalFixture portal;
  const std::string address = portal.backend().address();
  const int port = std::stoi(address.substr(address.rfind(':') + 1));
  HttpAnswer answer;
  const int before = portal.backend().calls();
  std::thread caller([&] { answer = GetJob(portal, "slow"); });
  CHECK(WaitFor([&] { return portal.backend().calls() > before; }));
  CHECK(ShutDownConnectionsTo(port) > 0);
  caller.join();
  CHECK(answer.status == 503);
  CHECK(Error(answer) == kAway);
}

TEST_CASE("backend: a short restart is not noticed", "[frontend]") {
  PortalFixture portal({.timeout = kWaitTimeout});
  REQUIRE(GetJob(portal, "a").status == 200);
  portal.backend().Stop();
  REQUIRE(WaitFor([&] { return !portal.link().connected(); }));
  int status = 0;
  std::thread caller([&] { status = GetJob(portal, "a").status; });
  portal.backend().Start();
  caller.join();
  CHECK(status == 200);
}

// Calls that fail at once drive no connection: a page that retried its stream
// every few seconds was never connected again.
TEST_CASE("backend: reconnects without a call", "[frontend]") {
  PortalFixture portal;
  REQUIRE(WaitFor([&] { return portal.link().connected(); }));
  portal.backend().Stop();
  REQUIRE(GetJob(portal, "a").status == 503);
  portal.backend().Start();
  CHECK(WaitFor([&] { return portal.link().connected(); }));
  CHECK(GetJob(portal, "a").status == 200);
}

TEST_CASE("backend: pages are served without it", "[frontend]") {
  PortalFixture portal;
  portal.backend().Stop();
  testing::HttpClient client(portal.port());
  CHECK(client.Ask(testing::Request("GET", "/")).status == 200);
}

}  // namespace
}  // namespace carme::frontend
