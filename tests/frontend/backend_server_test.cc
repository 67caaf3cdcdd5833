// The gateway when the backend errs, is slow, dies and comes back.
#include <catch2/catch.hpp>
#include <string>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "common/listen.h"
#include "frontend/backend_channel.h"
#include "frontend/backend_link.h"
#include "tests/frontend/portal_fixture.h"

namespace carme {
namespace {

using testing::HttpAnswer;
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

TEST_CASE("backend: its own sentences reach the browser", "[frontend]") {
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

TEST_CASE("backend: what went wrong inside stays inside", "[frontend]") {
  const PortalFixture portal;
  const HttpAnswer answer = GetJob(portal, "broken");
  CHECK(answer.status == 500);
  CHECK(Error(answer) ==
        R"({"code":"internal","message":"something went wrong inside Carme")");
}

TEST_CASE("backend: a call ends at the client's time", "[frontend]") {
  const PortalFixture portal;
  const absl::Time start = absl::Now();
  const HttpAnswer answer =
      GetJob(portal, "slow", "Connect-Timeout-Ms: 300\r\n");
  CHECK(answer.status == 504);
  CHECK(absl::Now() - start < absl::Seconds(3));
}

TEST_CASE("backend: a long answer arrives whole", "[frontend]") {
  const PortalFixture portal;
  const HttpAnswer answer = GetJob(portal, "large");
  CHECK(answer.status == 200);
  CHECK(answer.body.size() > (1 << 20));
}

TEST_CASE("backend: one with another name is not spoken to", "[frontend]") {
  PortalFixture portal({.expected_backend = "another-name"});
  const absl::Time start = absl::Now();
  const HttpAnswer answer = GetJob(portal, "a");
  CHECK(answer.status == 503);
  CHECK(Error(answer) == kAway);
  CHECK(absl::Now() - start < absl::Seconds(4));
  CHECK(portal.backend().calls() == 0);
}

TEST_CASE("backend: one that never finishes its handshake is given up on",
          "[frontend]") {
  const UniqueFd silent = *ListenTcp("127.0.0.1:0");
  BackendLink link(
      {.address = absl::StrCat("127.0.0.1:", *PortOf(silent.get())),
       .server_name = "carme-backend"});
  BackendChannel channel(&link);
  const absl::Time start = absl::Now();
  const auto answer = channel.Call({.method = "/carme.v1.JobService/GetJob",
                                    .metadata = {},
                                    .deadline = start + absl::Seconds(20),
                                    .request_id = "r-1"},
                                   "");
  CHECK(answer.status().code() == absl::StatusCode::kUnavailable);
  CHECK(absl::Now() - start < absl::Seconds(4));
}

TEST_CASE("backend: a new certificate is shown to it without a restart",
          "[frontend]") {
  const testing::TestCa ca("site"), foreign("site");
  const testing::BackendStandIn backend(ca);
  const auto options = [&](const testing::TestCa& issuer) {
    const testing::TestIdentity own = issuer.IssueNames(kFrontendUri);
    return BackendOptions{.address = backend.address(),
                          .server_name = "carme-backend",
                          .ca = ca.certificate_pem(),
                          .certificate = own.certificate_pem,
                          .key = own.key_pem};
  };
  const auto gets_in = [](BackendLink& link) {
    return BackendChannel(&link)
        .Call({.method = "/carme.v1.JobService/GetJob",
               .metadata = {},
               .deadline = absl::Now() + absl::Seconds(3),
               .request_id = "r-1"},
              "")
        .status();
  };
  BackendLink link(options(foreign));
  CHECK(gets_in(link).code() == absl::StatusCode::kUnavailable);
  link.Use(options(ca));
  CHECK(WaitFor([&] { return link.connected(); }));
  CHECK(gets_in(link).code() != absl::StatusCode::kUnavailable);
  link.Use(options(foreign));
  CHECK(WaitFor([&] { return !link.connected(); }));
  CHECK(gets_in(link).code() == absl::StatusCode::kUnavailable);
}

TEST_CASE("backend: its death is said, and then at once", "[frontend]") {
  PortalFixture portal;
  REQUIRE(GetJob(portal, "a").status == 200);
  portal.backend().Stop();
  const absl::Time start = absl::Now();
  for (int i = 0; i < 10; ++i) {
    const HttpAnswer answer = GetJob(portal, "a");
    CHECK(answer.status == 503);
    CHECK(Error(answer) == kAway);
  }
  CHECK(absl::Now() - start < absl::Seconds(4));
}

TEST_CASE("backend: a short restart is not noticed", "[frontend]") {
  PortalFixture portal;
  REQUIRE(GetJob(portal, "a").status == 200);
  portal.backend().Stop();
  REQUIRE(WaitFor([&] { return !portal.link().connected(); }));
  int status = 0;
  std::thread caller([&] { status = GetJob(portal, "a").status; });
  portal.backend().Start();
  caller.join();
  CHECK(status == 200);
}

// A call that fails at once drives no connection: seen as a page whose stream,
// asked for every few seconds, never came back.
TEST_CASE("backend: the link comes back without a call", "[frontend]") {
  PortalFixture portal;
  REQUIRE(WaitFor([&] { return portal.link().connected(); }));
  portal.backend().Stop();
  REQUIRE(GetJob(portal, "a").status == 503);
  portal.backend().Start();
  CHECK(WaitFor([&] { return portal.link().connected(); }));
  CHECK(GetJob(portal, "a").status == 200);
}

TEST_CASE("backend: the pages are there without it", "[frontend]") {
  PortalFixture portal;
  portal.backend().Stop();
  testing::HttpClient client(portal.port());
  CHECK(client.Ask(testing::Request("GET", "/")).status == 200);
}

}  // namespace
}  // namespace carme
